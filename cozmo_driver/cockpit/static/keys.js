// Keys, stick and gamepad become velocities: at once on a change, 20 a second while one is held.
import { channel, FeedElement } from "./channel.js";
import { belongsToControl } from "./stop.js";
import { t } from "./texts.js";
import { make } from "./ui.js";

const PERIOD_MS = 50;
const SLOW = 0.35;
const JOINT_SPEED = 1.0; // rad/s
const DEAD = 0.12;
const [PAD_STOP, PAD_UP, PAD_DOWN] = [1, 12, 13]; // of the browsers' "standard" layout
const HIDING_KEYS = ["Meta", "ContextMenu"];
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

// A key counts by its place, and one whose place does nothing by its letter: W is elsewhere in France.
const axisOf = ({ code, key }) => KEYS[code] ?? KEYS[`Key${String(key).toUpperCase()}`];
const clamp = (value, low = -1, high = 1) => Math.min(high, Math.max(low, value));
export const beyondDead = (value) => Math.sign(value) * Math.max(0, (Math.abs(value) - DEAD) / (1 - DEAD));

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

// Of the whole page: the stick is one more source.
export const inputs = new Inputs();

// The hints for the keyboard; while they are in the page, keys and gamepads drive.
class Keys extends FeedElement {
  #held = new Map(); // place of a key: its axis. When it is released, its letter may be another one
  #listening = null;
  #padStops = 0;

  render() {
    const hints = { "W A S D": t("drive"), Shift: t("slow"), "R F": t("head"), "T G": t("lift"), [t("Space")]: "STOP" };
    for (const [keys, meaning] of Object.entries(hints)) {
      this.append(make("kbd", {}, keys), make("span", {}, meaning));
    }
  }

  feeds() {
    return {
      open: (isOpen) => isOpen || this.#halt(),
      status: ({ is_stopped, is_held }) => {
        const isStopped = is_stopped || is_held;
        if (isStopped && !inputs.isStopped) this.#halt();
        inputs.isStopped = isStopped;
      },
      hello: ({ limits }) => (inputs.limits = limits),
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
    addEventListener("contextmenu", () => this.#letKeysGo(), { signal });
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
    inputs.release();
    dispatchEvent(new Event("cozmo-rest"));
  }

  // Whoever still holds stick or gamepad lets them go first, and presses keys anew.
  #halt() {
    this.#letKeysGo();
    inputs.halt();
    dispatchEvent(new Event("cozmo-rest"));
  }

  #letKeysGo() {
    this.#held.clear();
    inputs.isSlow = false;
    inputs.set("keys", {});
  }

  #onKey(event, isDown) {
    // The page may not be told what is released meanwhile.
    if (HIDING_KEYS.includes(event.key)) this.#letKeysGo();
    const axis = axisOf(event);
    const isKnown = axis || this.#held.has(event.code) || event.key === "Shift";
    if (!isKnown || event.defaultPrevented || (isDown && (event.ctrlKey || event.metaKey || event.altKey))) return;
    if (isDown && belongsToControl(event)) return;
    if (event.key === "Shift") {
      inputs.isSlow = isDown;
    } else {
      event.preventDefault(); // arrows would scroll
      if (event.repeat) return;
      if (isDown && axis && !inputs.isStopped) this.#held.set(event.code, axis);
      else this.#held.delete(event.code);
    }
    const axes = {};
    for (const [name, sign] of this.#held.values()) axes[name] = clamp((axes[name] ?? 0) + sign);
    inputs.set("keys", axes);
  }

  #pollGamepad() {
    if (!this.#listening) return; // removed: what is halted stays so for the next tab
    const pad = [...(navigator.getGamepads?.() ?? [])].find((one) => one?.connected);
    if (!pad) {
      inputs.set("pad", {});
      return;
    }
    const [x = 0, y = 0, , headAxis = 0] = pad.axes;
    const held = (button) => (pad.buttons[button]?.pressed ? 1 : 0);
    if (held(PAD_STOP) && !this.#padStops) document.querySelector("cozmo-stop").stop();
    this.#padStops = held(PAD_STOP);
    inputs.set("pad", {
      linear: -beyondDead(y),
      angular: -beyondDead(x),
      head: -beyondDead(headAxis),
      lift: held(PAD_UP) - held(PAD_DOWN),
    });
    requestAnimationFrame(() => this.#pollGamepad());
  }
}

customElements.define("cozmo-keys", Keys);
