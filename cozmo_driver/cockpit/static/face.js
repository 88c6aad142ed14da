// The robot's display: as it is now, and a board to draw on.
import { FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { asking, iconButton, make } from "./ui.js";

const WIDTH = 128;
const HEIGHT = 64;
const LIT = [130, 225, 255];

function show(canvas, pixels) {
  const context = canvas.getContext("2d");
  const image = context.createImageData(WIDTH, HEIGHT);
  for (let i = 0; i < pixels.length; i++) {
    image.data.set(pixels[i] ? LIT : [6, 8, 12], 4 * i);
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

function unpacked(code) {
  const bytes = Uint8Array.from(atob(code), (char) => char.charCodeAt(0));
  return Array.from({ length: WIDTH * HEIGHT }, (_, i) => (bytes[i >> 3] >> (7 - (i & 7))) & 1);
}

function packed(pixels) {
  const bytes = new Uint8Array(pixels.length / 8);
  pixels.forEach((lit, i) => (bytes[i >> 3] |= lit << (7 - (i & 7))));
  return btoa(String.fromCharCode(...bytes));
}

class Face extends FeedElement {
  render() {
    const attributes = { width: WIDTH, height: HEIGHT, class: "cz-display", role: "img" };
    this.canvas = make("canvas", { ...attributes, "aria-label": t("What the display shows now") });
    this.append(this.canvas);
    show(this.canvas, new Array(WIDTH * HEIGHT).fill(0));
  }

  feeds() {
    return { face: (code) => show(this.canvas, unpacked(code)) };
  }
}

class Board extends HTMLElement {
  pixels = new Array(WIDTH * HEIGHT).fill(0);
  pen = 1;
  size = 2;

  connectedCallback() {
    if (this.hasChildNodes()) return;
    const attributes = { width: WIDTH, height: HEIGHT, class: "cz-display cz-board" };
    this.canvas = make("canvas", { ...attributes, role: "img", "aria-label": t("Drawing board") });
    this.canvas.onpointerdown = (event) => this.#start(event);
    this.canvas.onpointermove = (event) => this.#draw(event);
    const size = make("input", { type: "range", min: 1, max: 8, value: this.size, "aria-label": t("Width of the pen") });
    size.oninput = () => (this.size = Number(size.value));
    const erase = iconButton("cleaning_services", t("Rubber"), () => {
      this.pen = 1 - this.pen;
      erase.setAttribute("aria-pressed", String(this.pen === 0));
    });
    erase.setAttribute("aria-pressed", "false");
    const clear = iconButton("delete", t("Clear"), () => this.#fill(0));
    const send = asking(t("Show on the robot"), "draw", () => ({ pixels: packed(this.pixels) }));
    this.append(this.canvas, make("div", { class: "cz-row" }, size, erase, clear, send));
    show(this.canvas, this.pixels);
  }

  #fill(value) {
    this.pixels.fill(value);
    show(this.canvas, this.pixels);
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    const scale = WIDTH / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  #start(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.last = this.#at(event);
    this.#draw(event);
  }

  #draw(event) {
    if (!(event.buttons & 1)) return;
    const [x, y] = this.#at(event);
    const steps = Math.max(1, Math.ceil(Math.hypot(x - this.last[0], y - this.last[1])));
    for (let i = 0; i <= steps; i++) {
      const part = i / steps;
      this.#dot(this.last[0] + part * (x - this.last[0]), this.last[1] + part * (y - this.last[1]));
    }
    this.last = [x, y];
    show(this.canvas, this.pixels);
  }

  #dot(x, y) {
    const radius = this.size / 2;
    for (let row = Math.floor(y - radius); row <= y + radius; row++) {
      for (let column = Math.floor(x - radius); column <= x + radius; column++) {
        const isInside = row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
        const isNear = Math.hypot(column + 0.5 - x, row + 0.5 - y) <= Math.max(radius, 0.71);
        if (isInside && isNear) this.pixels[row * WIDTH + column] = this.pen;
      }
    }
  }
}

customElements.define("cozmo-face", Face);
customElements.define("cozmo-board", Board);
