// A QR code of a text as rows of booleans: bytes, level L, versions 1 to 10, always the same mask.
// ISO/IEC 18004.
const CHECKS = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18]; // of each block, by version
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4];
const FORMAT = 0b01_000; // level L, mask 0

export function qrCode(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = CHECKS.findIndex((_, index) => bytes.length + (index < 9 ? 2 : 3) <= dataLength(index + 1)) + 1;
  if (!version) throw new Error("the text is too long for a QR code");
  const grid = new Grid(version);
  grid.place(withChecks(version, padded(version, bytes)));
  return grid.rows;
}

const rawLength = (version) => {
  let bits = (16 * version + 128) * version + 64;
  if (version > 1) {
    const marks = Math.floor(version / 7) + 2;
    bits -= (25 * marks - 10) * marks - 55 + (version > 6 ? 36 : 0);
  }
  return bits >> 3;
};
const dataLength = (version) => rawLength(version) - CHECKS[version - 1] * BLOCKS[version - 1];

function padded(version, bytes) {
  const bits = [];
  const put = (value, count) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  put(4, 4); // bytes
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, 8 * dataLength(version) - bits.length));
  while (bits.length % 8) bits.push(0);
  for (let pad = 0xec; bits.length < 8 * dataLength(version); pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: bits.length / 8 }, (_, at) => parseInt(bits.slice(8 * at, 8 * at + 8).join(""), 2));
}

function withChecks(version, data) {
  const [count, checks] = [BLOCKS[version - 1], CHECKS[version - 1]];
  const short = Math.floor(data.length / count);
  const longer = data.length % count; // blocks with one byte more are the last ones
  const divisor = reedSolomon(checks);
  const blocks = [];
  for (let at = 0, block = 0; block < count; block++) {
    const length = short + (block >= count - longer ? 1 : 0);
    const part = data.slice(at, at + length);
    at += length;
    blocks.push({ part, check: remainder(part, divisor) });
  }
  const woven = (parts) => Array.from({ length: Math.max(...parts.map((part) => part.length)) }, (_, at) => parts.flatMap((part) => (at < part.length ? [part[at]] : []))).flat();
  return [...woven(blocks.map(({ part }) => part)), ...woven(blocks.map(({ check }) => check))];
}

function times(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> bit) & 1) * a);
  return product;
}

function reedSolomon(degree) {
  const made = new Array(degree).fill(0);
  made[degree - 1] = 1;
  for (let round = 0, root = 1; round < degree; round++, root = times(root, 2)) {
    for (let at = 0; at < degree; at++) made[at] = times(made[at], root) ^ (made[at + 1] ?? 0);
  }
  return made;
}

function remainder(data, divisor) {
  const left = new Array(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ left.shift();
    left.push(0);
    divisor.forEach((part, at) => (left[at] ^= times(part, factor)));
  }
  return left;
}

// The modules: patterns first, then data around them.
class Grid {
  constructor(version) {
    this.size = 17 + 4 * version;
    this.rows = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.taken = this.rows.map((row) => [...row]);
    this.#addPatterns(version);
  }

  #set(x, y, isDark) {
    if (!(y in this.rows) || x < 0 || x >= this.size) return;
    this.rows[y][x] = Boolean(isDark);
    this.taken[y][x] = true;
  }

  #addPatterns(version) {
    const { size } = this;
    for (let at = 0; at < size; at++) {
      this.#set(6, at, at % 2 === 0);
      this.#set(at, 6, at % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) this.#addSquares(x, y, 4, (ring) => ring !== 2 && ring !== 4);
    const marks = places(version, size);
    const isCorner = (x, y) => (x === 6 && y === 6) || (x === 6 && y === size - 7) || (x === size - 7 && y === 6);
    for (const x of marks) for (const y of marks) if (!isCorner(x, y)) this.#addSquares(x, y, 2, (ring) => ring !== 1);
    this.#addFormat();
    if (version > 6) this.#addVersion(version);
  }

  #addSquares(x, y, reach, isDark) {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) this.#set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }

  #addFormat() {
    let rest = FORMAT;
    for (let round = 0; round < 10; round++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
    const bits = ((FORMAT << 10) | rest) ^ 0x5412;
    const bit = (at) => (bits >> at) & 1;
    for (let at = 0; at < 15; at++) {
      if (at < 6) this.#set(8, at, bit(at));
      else if (at < 8) this.#set(8, at + 1, bit(at));
      else if (at === 8) this.#set(7, 8, bit(at));
      else this.#set(14 - at, 8, bit(at));
      if (at < 8) this.#set(this.size - 1 - at, 8, bit(at));
      else this.#set(8, this.size - 15 + at, bit(at));
    }
    this.#set(8, this.size - 8, true);
  }

  #addVersion(version) {
    let rest = version;
    for (let round = 0; round < 12; round++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let at = 0; at < 18; at++) {
      const [near, far] = [Math.floor(at / 3), this.size - 11 + (at % 3)];
      this.#set(far, near, (bits >> at) & 1);
      this.#set(near, far, (bits >> at) & 1);
    }
  }

  // Two columns at a time from the right, up and down in turns; mask 0 turns over every other one.
  place(bytes) {
    let at = 0;
    for (let right = this.size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      const isUp = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.size; step++) {
        const y = isUp ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.taken[y][x]) continue;
          const bit = at < 8 * bytes.length ? (bytes[at >> 3] >> (7 - (at & 7))) & 1 : 0;
          this.rows[y][x] = Boolean(bit) !== ((x + y) % 2 === 0);
          at += 1;
        }
      }
    }
  }
}

function places(version, size) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - step * (count - 2 - at))];
}
