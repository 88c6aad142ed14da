// The tab Drive: the camera, a stick for fingers, sliders, light.
import { channel, FeedElement } from "./channel.js";
import { beyondDead, inputs } from "./keys.js";
import { t } from "./texts.js";
import { ask, icon, make, toggle } from "./ui.js";
import "./camera.js";

const TOUCHED_MS = 1500;

export function build(panel, { read_only: readOnly }) {
  const controls = make("section", { class: "cz-controls", "aria-label": t("Driving") });
  if (readOnly) controls.append(t("This cockpit only shows: it was started with read_only."));
  else controls.append(make("cozmo-drive"), make("cozmo-keys"));
  panel.append(make("div", { class: "cz-drive" }, make("cozmo-camera", { tools: "" }), controls));
}

class Drive extends FeedElement {
  render() {
    this.stick = makeStick((axes) => inputs.set("stick", axes));
    this.speed = slider(t("Speed"), "speed", 10, 100, 5, (value) => `${value} %`);
    this.head = slider(t("Head"), "north", -25, 44.5, 0.5, (value) => `${Math.round(value)}°`);
    this.lift = slider(t("Lift"), "forklift", 32, 92, 1, (value) => `${Math.round(value)} mm`);
    this.speed.set(100 * inputs.share);
    this.speed.onInput = (value) => {
      inputs.share = value / 100;
      inputs.update();
    };
    this.head.onInput = throttled((value) => channel.send("move", { head: (value * Math.PI) / 180 }));
    this.lift.onInput = throttled((value) => channel.send("move", { lift: value / 1000 }));
    this.light = toggle(t("Head light"), (isOn) => ask("head_light", { data: isOn }));
    this.light.root.classList.add("cz-light");
    const sliders = make("div", { class: "cz-sliders" }, this.head.root, this.lift.root, this.speed.root, this.light.root);
    this.append(sliders, this.stick);
    addEventListener("cozmo-rest", () => this.stick.center());
  }

  feeds() {
    return {
      status: ({ is_head_light_on: isOn }) => this.light.set(isOn),
      wheel: ({ holder }) => this.toggleAttribute("data-watching", holder === "other"),
      joints: ({ head, lift }) => {
        this.head.follow((head * 180) / Math.PI);
        this.lift.follow(1000 * lift);
      },
    };
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
  const stick = make("div", { class: "cz-stick", role: "img", "aria-label": t("Joystick: drag to drive") }, knob);
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
