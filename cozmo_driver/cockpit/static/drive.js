// Keys, stick and gamepad become velocities: at once on a change, 20 a second while one is held.
import { channel, FeedElement, icon, make } from "./channel.js";
import { belongsToControl } from "./stop.js";

const PERIOD_MS = 50;
const SLOW = 0.35;
const TOUCHED_MS = 1500;
const JOINT_SPEED = 1.0; // rad/s
const DEAD = 0.12;
const [PAD_STOP, PAD_UP, PAD_DOWN] = [1, 12, 13]; // of the browsers' "standard" layout
const AXES = ["linear", "angular", "head", "lift"];
const KEYS = {
  KeyW: ["linear", 1],
  ArrowUp: ["linear", 1],
  KeyS: ["linear", -1],
  ArrowDown: ["linear", -1],
  KeyA: ["angular", 1],
  ArrowLeft: ["angular", 1],
  KeyD: ["angular", -1],
  ArrowRight: ["angular", -1],
  KeyR: ["head", 1],
  KeyF: ["head", -1],
  KeyT: ["lift", 1],
  KeyG: ["lift", -1],
};

const clamp = (value, low = -1, high = 1) => Math.min(high, Math.max(low, value));
const beyondDead = (value) => Math.sign(value) * Math.max(0, (Math.abs(value) - DEAD) / (1 - DEAD));

const isMoving = (axes) => Object.values(axes).some((value) => value !== 0);

// What all inputs together want, -1 to 1 for each axis.
class Inputs {
  #sources = new Map();
  #halted = new Set(); // sources that come to rest before they count again
  #timer = null;
  #sent = "";
  limits = { linear: 0.1, angular: 2 };
  share = 0.5;
  isSlow = false;
  isStopped = false;

  set(source, axes) {
    this.#sources.set(source, axes);
    if (!isMoving(axes)) this.#halted.delete(source);
    else if (this.isStopped) this.#halted.add(source);
    this.update();
  }

  halt() {
    for (const [source, axes] of this.#sources) if (isMoving(axes)) this.#halted.add(source);
    this.update();
  }

  release() {
    this.#sources.clear();
    this.update();
  }

  update() {
    const velocity = this.#velocity();
    const text = velocity.join();
    if (text !== this.#sent) {
      this.#sent = text;
      channel.send("drive", velocity);
    }
    const moves = velocity.some((value) => value !== 0);
    if (moves && this.#timer === null) {
      this.#timer = setInterval(() => channel.send("drive", this.#velocity()), PERIOD_MS);
    } else if (!moves && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #velocity() {
    const sum = (axis) => {
      let total = 0;
      for (const [source, axes] of this.#sources) if (!this.#halted.has(source)) total += axes[axis] ?? 0;
      return clamp(total) * (this.isSlow ? SLOW : 1);
    };
    const { linear, angular } = this.limits;
    const scale = [linear * this.share, angular * this.share, JOINT_SPEED, JOINT_SPEED];
    return AXES.map((axis, i) => sum(axis) * scale[i]);
  }
}

class Drive extends FeedElement {
  inputs = new Inputs();
  #held = new Set();
  #listening = null;
  #padStops = 0;

  render() {
    this.stick = makeStick((axes) => this.inputs.set("stick", axes));
    this.speed = slider("Speed", "speed", 10, 100, 5, (value) => `${value} %`);
    this.head = slider("Head", "north", -25, 44.5, 0.5, (value) => `${Math.round(value)}°`);
    this.lift = slider("Lift", "forklift", 32, 92, 1, (value) => `${Math.round(value)} mm`);
    this.speed.set(50);
    this.speed.onInput = (value) => {
      this.inputs.share = value / 100;
      this.inputs.update();
    };
    this.head.onInput = throttled((value) => channel.send("move", { head: (value * Math.PI) / 180 }));
    this.lift.onInput = throttled((value) => channel.send("move", { lift: value / 1000 }));
    const sliders = make("div", { class: "cz-sliders" }, this.head.root, this.lift.root, this.speed.root);
    this.append(sliders, this.stick);
  }

  feeds() {
    return {
      open: (isOpen) => isOpen || this.#halt(),
      status: ({ is_stopped, is_held }) => {
        const isStopped = is_stopped || is_held;
        if (isStopped && !this.inputs.isStopped) this.#halt();
        this.inputs.isStopped = isStopped;
      },
      hello: ({ limits }) => (this.inputs.limits = limits),
      wheel: ({ holder }) => this.toggleAttribute("data-watching", holder === "other"),
      joints: ({ head, lift }) => {
        this.head.follow((head * 180) / Math.PI);
        this.lift.follow(1000 * lift);
      },
    };
  }

  connectedCallback() {
    super.connectedCallback();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    addEventListener("keydown", (event) => this.#onKey(event, true), { signal });
    addEventListener("keyup", (event) => this.#onKey(event, false), { signal });
    addEventListener("cozmo-stop", () => this.#halt(), { signal });
    for (const name of ["blur", "pagehide"]) addEventListener(name, () => this.release(), { signal });
    document.addEventListener("visibilitychange", () => this.release(), { signal });
    addEventListener("gamepadconnected", () => this.#pollGamepad(), { signal });
    this.#pollGamepad();
  }

  disconnectedCallback() {
    this.release();
    this.#listening?.abort();
    this.#listening = null;
    super.disconnectedCallback();
  }

  release() {
    this.#letKeysGo();
    this.inputs.release();
    this.stick.center();
  }

  // Whoever still holds stick or gamepad lets them go first, and presses keys anew.
  #halt() {
    this.#letKeysGo();
    this.inputs.halt();
    this.stick.center();
  }

  #letKeysGo() {
    this.#held.clear();
    this.inputs.isSlow = false;
    this.inputs.set("keys", {});
  }

  #onKey(event, isDown) {
    const isKnown = event.code in KEYS || event.key === "Shift";
    if (!isKnown || (isDown && (event.ctrlKey || event.metaKey || event.altKey))) return;
    if (isDown && belongsToControl(event)) return;
    if (event.key === "Shift") {
      this.inputs.isSlow = isDown;
    } else {
      event.preventDefault(); // arrows would scroll
      if (event.repeat) return;
      if (isDown && !this.inputs.isStopped) this.#held.add(event.code);
      else this.#held.delete(event.code);
    }
    const axes = {};
    for (const code of this.#held) axes[KEYS[code][0]] = clamp((axes[KEYS[code][0]] ?? 0) + KEYS[code][1]);
    this.inputs.set("keys", axes);
  }

  #pollGamepad() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((one) => one?.connected);
    if (!pad || !this.#listening) {
      this.inputs.set("pad", {});
      return;
    }
    const [x = 0, y = 0, , headAxis = 0] = pad.axes;
    const held = (button) => (pad.buttons[button]?.pressed ? 1 : 0);
    if (held(PAD_STOP) && !this.#padStops) document.querySelector("cozmo-stop").stop();
    this.#padStops = held(PAD_STOP);
    this.inputs.set("pad", {
      linear: -beyondDead(y),
      angular: -beyondDead(x),
      head: -beyondDead(headAxis),
      lift: held(PAD_UP) - held(PAD_DOWN),
    });
    requestAnimationFrame(() => this.#pollGamepad());
  }
}

class Keys extends HTMLElement {
  connectedCallback() {
    if (this.hasChildNodes()) return;
    const hints = { "W A S D": "drive", Shift: "slow", "R F": "head", "T G": "lift", Space: "STOP" };
    for (const [keys, meaning] of Object.entries(hints)) {
      this.append(make("kbd", {}, keys), make("span", {}, meaning));
    }
  }
}

function slider(label, iconName, low, high, step, text) {
  const input = make("input", { type: "range", min: low, max: high, step, "aria-label": label });
  const value = make("output", {}, "–");
  const root = make("label", { class: "cz-slider" }, icon(iconName), make("span", {}, label), input, value);
  let touched = null;
  let reported = null;
  const self = {
    root,
    onInput: () => {},
    set(number) {
      input.value = number;
      value.textContent = text(Number(input.value));
      input.setAttribute("aria-valuetext", value.textContent);
    },
    // What the robot reports, unless the user has just moved it.
    follow(number) {
      reported = number;
      if (touched === null) self.set(number);
    },
  };
  input.oninput = () => {
    clearTimeout(touched);
    touched = setTimeout(() => {
      touched = null;
      if (reported !== null) self.set(reported);
    }, TOUCHED_MS);
    self.set(Number(input.value));
    self.onInput(Number(input.value));
  };
  return self;
}

// Calls at most every 100 ms, the last time with the last value.
function throttled(call) {
  let waiting = null;
  let isBusy = false;
  const run = (...values) => {
    if (isBusy) {
      waiting = values;
      return;
    }
    isBusy = true;
    call(...values);
    setTimeout(() => {
      isBusy = false;
      if (waiting !== null) {
        const next = waiting;
        waiting = null;
        run(...next);
      }
    }, 100);
  };
  return run;
}

function makeStick(onMove) {
  const knob = make("div", { class: "cz-knob" });
  const stick = make("div", { class: "cz-stick", role: "img", "aria-label": "Joystick: drag to drive" }, knob);
  const place = (x, y) => {
    knob.style.transform = `translate(${x * 50}%, ${-y * 50}%)`;
  };
  const move = (event) => {
    const box = stick.getBoundingClientRect();
    const radius = box.width / 2 - knob.offsetWidth / 2;
    let x = (event.clientX - box.left - box.width / 2) / radius;
    let y = -(event.clientY - box.top - box.height / 2) / radius;
    const length = Math.max(1, Math.hypot(x, y));
    [x, y] = [x / length, y / length];
    knob.style.transform = `translate(${x * radius}px, ${-y * radius}px)`;
    onMove({ linear: beyondDead(y), angular: -beyondDead(x) });
  };
  stick.center = () => place(0, 0);
  stick.onpointerdown = (event) => {
    event.preventDefault();
    stick.setPointerCapture(event.pointerId);
    move(event);
  };
  stick.onpointermove = (event) => stick.hasPointerCapture(event.pointerId) && move(event);
  stick.onlostpointercapture = () => {
    stick.center();
    onMove({});
  };
  return stick;
}

customElements.define("cozmo-drive", Drive);
customElements.define("cozmo-keys", Keys);
