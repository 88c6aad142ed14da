// The emulator's world from above, as it really is, and hands for the robot and its cubes.
import { channel, FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { ask, choices, icon, make } from "./ui.js";
import { drawRobot, fillPolygon, FloorMap, rectangle } from "./map.js";

const FRONT = 0.0321; // of the robot, from where its pose counts, m
const REAR = 0.0559;
const CUBE = 0.022;
const REACH = { robot: 0.05, cube: 0.035 };
const PUSH_MS = 100;
const [SMALL, LEAST_SCALE] = [600, 260]; // pixels of a telephone, and for 1 m: a robot of 23
const STEP = 0.02; // m for an arrow key
const TURN = 15; // degrees
const TINTS = {
  white: [1, 1, 1],
  wood: [1.1, 0.98, 0.76],
  red: [1.4, 0.6, 0.6],
  green: [0.7, 1.2, 0.7],
  blue: [0.65, 0.9, 1.5],
  yellow: [1.2, 1.1, 0.5],
};
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
const ROBOT_ACTS = [
  ["Lift", "front_hand", { do: "pickup" }],
  ["Put down", "download", { do: "putdown" }],
  ["Shake", "vibration", { do: "shake" }],
  ["Poke", "touch_app", { do: "poke" }],
  ["On its back", "flip", { do: "turn-over", posture: "back" }],
  ["Button", "radio_button_checked", { do: "button" }],
  ["On charger", "electrical_services", { do: "charger", state: "on" }],
  ["Off charger", "power_off", { do: "charger", state: "off" }],
];

export const tinted = (gray, tint) => {
  const parts = (TINTS[tint] ?? TINTS.white).map((factor) => Math.min(255, Math.round(gray * factor)));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
};
const degrees = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle)) * (180 / Math.PI);

class World extends FeedElement {
  selected = "robot"; // or the number of a cube
  mode = "carry"; // or push
  #ghost = null;
  #pushedAt = 0;

  render() {
    this.map = new FloorMap(t("The emulator's world from above: drag the robot or a cube; arrow keys push what is chosen"));
    this.map.draw = (context, map) => this.#draw(context, map);
    this.map.onDown = (point) => this.#grab(point);
    this.map.canvas.onkeydown = (event) => this.#onKey(event);
    this.tools = make("div", { class: "cz-hands", role: "toolbar", "aria-label": t("Hands") });
    this.append(this.map.canvas, this.tools);
  }

  feeds() {
    return {
      layout: (layout) => this.#onLayout(layout),
      world: (world) => {
        const numbers = (one) => Object.keys(one?.cubes ?? {}).join();
        const isNew = !this.world || numbers(this.world) !== numbers(world);
        this.world = world;
        if (isNew) this.#addTools();
        this.#fitOnce();
        this.map.redraw();
      },
    };
  }

  useColors(colors) {
    this.colors = colors;
    this.map.redraw();
  }

  #onLayout(layout) {
    this.layout = layout;
    const corners = [...layout.floors, ...layout.solids].flatMap((one) => one.corners);
    if (!corners.length) return;
    const [xs, ys] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
    this.bounds = [[Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)]];
    this.#fitOnce();
  }

  // As soon as it has a size, and both have come: it may be hidden yet.
  #fitOnce() {
    const canvas = this.map.canvas;
    if (this.sizes || !this.bounds || !this.world) return;
    this.sizes = new ResizeObserver((_, observer) => {
      if (!canvas.clientWidth) return;
      observer.disconnect();
      this.map.fit(...this.bounds);
      // On a telephone everything would be too small to be touched: what is around the robot.
      if (canvas.clientWidth < SMALL && this.map.scale < LEAST_SCALE) this.map.show([this.world.pose.x, this.world.pose.y], LEAST_SCALE);
    });
    this.sizes.observe(canvas);
  }

  // -- hands

  #do(detail, isQuiet = false) {
    if (channel.readOnly) return;
    // A push goes on while the pointer moves: what refuses one of its steps is no news.
    if (isQuiet) channel.ask("emulator", detail);
    else ask("emulator", detail);
  }

  #poseOf(thing) {
    return thing === "robot" ? this.world?.pose : this.world?.cubes[thing];
  }

  #put(thing, { x, y }, yaw, { isQuiet = false, mode = this.mode } = {}) {
    const isRobot = thing === "robot";
    if (isRobot && mode === "push") this.#do({ do: "push", x, y }, isQuiet);
    else if (isRobot) this.#do({ do: "putdown", x, y, yaw: degrees(yaw) }, isQuiet);
    else this.#do({ do: "move-cube", cube: Number(thing), x, y, yaw: degrees(yaw) }, isQuiet);
  }

  #thingAt([x, y]) {
    const isNear = (pose, reach) => pose && Math.hypot(pose.x - x, pose.y - y) < reach;
    const cube = Object.entries(this.world?.cubes ?? {}).find(([, pose]) => isNear(pose, REACH.cube));
    if (cube) return cube[0];
    return isNear(this.world?.pose, REACH.robot) ? "robot" : null;
  }

  #grab(point) {
    const thing = this.#thingAt(point);
    if (thing === null) return null;
    this.#select(thing);
    const { x, y, yaw } = this.#poseOf(thing);
    const offset = [x - point[0], y - point[1]];
    const at = ([px, py]) => ({ x: px + offset[0], y: py + offset[1], yaw });
    const pushes = this.mode === "push";
    if (pushes) return { move: (to) => this.#push(thing, at(to)), up: (to, hasMoved) => hasMoved && this.#put(thing, at(to), yaw, { isQuiet: true }) };
    return {
      move: (to) => {
        if (!this.#ghost && thing === "robot") this.#do({ do: "pickup" });
        this.#ghost = { thing, ...at(to) };
        this.map.redraw();
      },
      up: (to, hasMoved) => {
        if (this.#ghost) this.#put(thing, hasMoved ? at(to) : { x, y }, yaw);
        this.#ghost = null;
      },
    };
  }

  #push(thing, to) {
    if (performance.now() - this.#pushedAt < PUSH_MS) return;
    this.#pushedAt = performance.now();
    this.#put(thing, to, to.yaw, { isQuiet: true });
  }

  #onKey(event) {
    const step = ARROWS[event.key];
    const pose = this.#poseOf(this.selected);
    if (!step || !pose) return;
    event.preventDefault();
    this.#put(this.selected, { x: pose.x + step[0], y: pose.y + step[1] }, pose.yaw, { mode: "push" });
  }

  #turn(by) {
    const pose = this.#poseOf(this.selected);
    if (pose) this.#put(this.selected, pose, pose.yaw + (by * Math.PI) / 180, { mode: "carry" });
  }

  #select(thing) {
    this.selected = thing;
    this.#addTools();
    this.map.redraw();
  }

  #addTools() {
    const things = [["robot", t("Robot")], ...Object.keys(this.world?.cubes ?? {}).map((number) => [number, t("Cube {number}", { number })])];
    const modes = [["carry", t("Carry")], ["push", t("Push")]];
    const acts = this.selected === "robot" ? ROBOT_ACTS : this.#cubeActs();
    const buttons = acts.map(([label, name, detail]) => button(label, name, () => this.#do(detail)));
    const turns = [["Turn left", "rotate_left", TURN], ["Turn right", "rotate_right", -TURN]];
    this.tools.replaceChildren(
      group(t("What to handle"), things, this.selected, (thing) => this.#select(thing)),
      group(t("Dragging"), modes, this.mode, (mode) => {
        this.mode = mode;
        this.#addTools();
      }),
      ...turns.map(([label, name, by]) => button(label, name, () => this.#turn(by))),
      ...buttons,
    );
  }

  #cubeActs() {
    const cube = Number(this.selected);
    const { x, y, yaw } = this.#poseOf(this.selected);
    return [
      ["Tap", "touch_app", { do: "tap", cube }],
      ["Shake", "vibration", { do: "move-cube", cube, x, y, yaw: degrees(yaw) }],
      ["On its side", "flip", { do: "flip-cube", cube, up: "x+" }],
      ["Upright", "vertical_align_top", { do: "flip-cube", cube, up: "z+" }],
    ];
  }

  // -- picture

  #draw(context, { scale, canvas, center }) {
    context.lineWidth = 1.5 / scale;
    if (!this.world) return;
    const { floors = [], holes = [], solids = [] } = this.layout ?? {};
    if (!floors.length) this.#drawGrid(context, center, canvas, scale);
    for (const { corners, gray, tint } of floors) fillPolygon(context, corners, tinted(gray, tint));
    for (const hole of holes) fillPolygon(context, hole, this.colors.panel);
    for (const { corners, gray, tint } of solids) fillPolygon(context, corners, tinted(0.7 * gray, tint), "#222");
    if (this.world.charger) fillPolygon(context, rectangle(this.world.charger, 0.096, 0, 0.04), "#e4e6e8", "#222");
    for (const [number, pose] of Object.entries(this.world.cubes)) this.#drawCube(context, pose, number, scale);
    drawRobot(context, this.world.pose, FRONT, REAR, this.colors);
    const chosen = this.#ghost ?? this.#poseOf(this.selected);
    if (!chosen) return;
    context.globalAlpha = 0.75;
    if (this.#ghost?.thing === "robot") drawRobot(context, this.#ghost, FRONT, REAR, this.colors);
    else if (this.#ghost) this.#drawCube(context, this.#ghost, this.#ghost.thing, scale);
    context.globalAlpha = 1;
    context.strokeStyle = "#0b7285";
    context.lineWidth = 3 / scale;
    context.beginPath();
    context.arc(chosen.x, chosen.y, this.selected === "robot" ? 0.065 : 0.036, 0, 7);
    context.stroke();
  }

  #drawCube(context, pose, number, scale) {
    fillPolygon(context, rectangle(pose, CUBE, CUBE, CUBE), "#303236", "#f4f4f2");
    context.save();
    context.translate(pose.x, pose.y);
    context.scale(1 / scale, -1 / scale); // texts would stand on their heads
    context.fillStyle = "#f4f4f2";
    context.font = `bold ${Math.max(9, 0.026 * scale)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(number, 0, 0);
    context.restore();
  }

  #drawGrid(context, center, { clientWidth, clientHeight }, scale) {
    const [width, height] = [clientWidth / scale, clientHeight / scale];
    context.strokeStyle = this.colors.line;
    context.beginPath();
    for (let x = Math.ceil(10 * (center[0] - width / 2)) / 10; x < center[0] + width / 2; x += 0.1) {
      context.moveTo(x, center[1] - height / 2);
      context.lineTo(x, center[1] + height / 2);
    }
    for (let y = Math.ceil(10 * (center[1] - height / 2)) / 10; y < center[1] + height / 2; y += 0.1) {
      context.moveTo(center[0] - width / 2, y);
      context.lineTo(center[0] + width / 2, y);
    }
    context.stroke();
  }
}

function button(label, name, press) {
  const made = make("button", { type: "button", class: "cz-hand" }, icon(name), t(label));
  made.onclick = press;
  return made;
}

function group(...what) {
  const made = choices(...what);
  made.classList.add("cz-flow");
  return made;
}

customElements.define("cozmo-world", World);
