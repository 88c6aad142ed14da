// The scene in 3D: drawn when there is something new, in the browser's own time.
import { Camera, Mesh, Node, Renderer, square } from "./gl.js";
import { Orbit } from "./orbit.js";
import { t } from "./texts.js";
import { icon, make } from "./ui.js";
import { Goal, Hazards, Robot, Trail } from "./layers.js";
import { Landmarks } from "./map_layer.js";
import { Ground, Objects } from "./vision_layers.js";
import { World } from "./world_layer.js";

const CLICK = 6; // pixels that a click may move
const FLOOR = 8; // m
const TILE = 1024; // pixels of a square metre
const EYE = [-0.3, -0.22, 0.22]; // from the robot, m
const LONGEST_STEP = 0.1; // s
const RATES = ["linear", "angular"];
const LONG_PRESS = 500; // ms

export class View {
  #frame = 0;
  #drawnAt = 0;
  #down = null;
  follows = true;
  onPoint = () => {}; // ({x, y}, whether to look there only)
  onLost = () => {}; // the graphics have forgotten it, as after a telephone has slept

  constructor(place) {
    const label = t("The robot and its surroundings. Tap the floor to send it there.");
    this.canvas = make("canvas", { role: "img", "aria-label": label });
    this.renderer = new Renderer(this.canvas);
    this.camera = new Camera();
    this.scene = new Node();
    this.floor = new Mesh(square(FLOOR), { isOverlay: true });
    this.floor.scale = [FLOOR, FLOOR, 1];
    this.floor.position = [0, 0, -0.001]; // above the floors of a world
    this.scene.add(this.floor);
    const redraw = () => this.redraw();
    this.robot = new Robot(redraw);
    this.trail = new Trail(redraw);
    this.layers = [this.robot, this.trail, new Goal(redraw), new Hazards(redraw)];
    this.layers.push(new Objects(redraw), new Ground(redraw), new Landmarks(redraw), new World(redraw));
    this.scene.add(...this.layers.map(({ group }) => group));
    this.controls = new Orbit(this.camera, this.canvas, redraw);
    this.canvas.addEventListener("webglcontextlost", () => this.onLost());
    this.canvas.addEventListener("pointerdown", (event) => (this.#down = event));
    this.canvas.addEventListener("pointerup", (event) => this.#onUp(event));
    place.replaceChildren(this.canvas, this.#layerMenu());
    this.sizes = new ResizeObserver(() => this.#resize(place));
    this.sizes.observe(place);
  }

  feeds() {
    return this.layers.flatMap((layer) =>
      Object.entries(layer.feeds()).map(([feed, update]) => [feed, this.#redrawing(update)]),
    );
  }

  // What comes again as it was is not drawn again: a robot at rest costs the graphics nothing.
  #redrawing(update) {
    let last = "";
    return (value) => {
      update(value);
      const now = JSON.stringify(value, rounded);
      if (now !== last) this.redraw();
      last = now;
    };
  }

  tools() {
    return [
      { iconName: "my_location", label: t("Follow the robot"), press: () => this.#follow(), isOn: () => this.follows },
      { iconName: "vertical_align_bottom", label: t("From above"), press: () => this.#lookFrom([-0.001, 0, 0.8]) },
      { iconName: "3d_rotation", label: t("From behind"), press: () => this.#lookFrom(EYE) },
      { iconName: "cleaning_services", label: t("Clear the trail"), press: () => this.trail.clear() },
    ];
  }

  useColors(colors) {
    this.floor.look.texture = squares(colors);
    for (const layer of this.layers) layer.useColors(colors);
    this.redraw();
  }

  redraw() {
    this.#frame ||= requestAnimationFrame((now) => this.#draw(now));
  }

  close() {
    cancelAnimationFrame(this.#frame);
    this.sizes.disconnect();
    this.renderer.close();
  }

  #layerMenu() {
    const list = this.layers.map((layer) => {
      const box = make("input", { type: "checkbox" });
      box.checked = true;
      box.onchange = () => {
        layer.isWanted = layer.group.visible = box.checked;
        this.redraw();
      };
      return make("label", {}, box, t(layer.name));
    });
    return make("details", { class: "cz-layers" }, make("summary", {}, icon("layers"), t("Layers")), ...list);
  }

  #resize(place) {
    const { clientWidth: width, clientHeight: height } = place;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.redraw();
  }

  #draw(now) {
    this.#frame = 0;
    const dt = Math.min(LONGEST_STEP, (now - this.#drawnAt) / 1000);
    this.#drawnAt = now;
    const before = this.robot.pose;
    const isMoving = this.layers.map((layer) => layer.animate(dt)).some(Boolean);
    if (!before && this.robot.pose) this.#lookFrom(EYE);
    else if (this.follows && before) this.#shift(this.robot.pose.x - before.x, this.robot.pose.y - before.y);
    const { x = 0, y = 0 } = this.robot.pose ?? {};
    this.floor.position = [Math.round(x), Math.round(y), this.floor.position[2]];
    this.renderer.draw(this.scene, this.camera);
    if (isMoving) this.redraw();
  }

  #shift(x, y) {
    for (const place of [this.camera.place, this.camera.target]) {
      place[0] += x;
      place[1] += y;
    }
  }

  #follow() {
    this.follows = !this.follows;
    const [atX, atY] = this.camera.target;
    const { x, y } = this.robot.pose ?? { x: atX, y: atY };
    if (this.follows) this.#shift(x - atX, y - atY);
    this.redraw();
  }

  // An eye at a place that is given ahead of the robot, left of it and above it.
  #lookFrom([ahead, left, up]) {
    const { x, y, yaw } = this.robot.pose ?? { x: 0, y: 0, yaw: 0 };
    const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
    this.camera.target = [x, y, 0.03];
    this.camera.place = [x + c * ahead - s * left, y + s * ahead + c * left, up];
    this.redraw();
  }

  #onUp(event) {
    const down = this.#down;
    this.#down = null;
    if (!down || !event.isPrimary || event.button !== 0) return;
    if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > CLICK) return;
    const box = this.canvas.getBoundingClientRect();
    const hit = this.camera.floorAt((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    const isLook = event.shiftKey || event.timeStamp - down.timeStamp > LONG_PRESS;
    if (hit) this.onPoint({ x: hit[0], y: hit[1] }, isLook);
  }
}

// To half a millimetre or 0.03 degrees, 5 cm/s or 3 degrees/s: sensors of a robot at rest tremble.
const rounded = (key, value) => (typeof value === "number" ? Math.round((RATES.includes(key) ? 20 : 2000) * value) : value);

// A metre of floor with a line every 10 cm, again and again.
function squares({ line, dim }) {
  const canvas = make("canvas", { width: TILE, height: TILE });
  const context = canvas.getContext("2d");
  for (let index = 0; index <= 10; index++) {
    const isEdge = index % 10 === 0;
    const at = (index * TILE) / 10;
    context.strokeStyle = isEdge ? dim : line;
    context.lineWidth = isEdge ? 3 : 2;
    context.strokeRect(at, -9, 0, TILE + 18);
    context.strokeRect(-9, at, TILE + 18, 0);
  }
  return canvas;
}
