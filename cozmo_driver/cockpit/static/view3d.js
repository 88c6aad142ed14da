// The scene in three.js: drawn when there is something new, in the browser's own time.
import { OrbitControls, THREE } from "nicegui-scene";
import { icon, make } from "./channel.js";
import { Goal, Hazards, Robot, Trail } from "./layers.js";
import { Ground, Objects } from "./vision_layers.js";
import { World } from "./world_layer.js";

const CLICK = 6; // pixels that a click may move
const FLOOR = 8; // m
const TILE = 1024; // pixels of a square metre
const EYE = [-0.3, -0.22, 0.22]; // from the robot, m
const LONGEST_STEP = 0.1; // s
const UP = new THREE.Vector3(0, 0, 1);
const LONG_PRESS = 500; // ms

export class View {
  #frame = 0;
  #drawnAt = 0;
  #down = null;
  follows = true;
  onPoint = () => {}; // ({x, y}, whether to look there only)

  constructor(place) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The robot and its surroundings. Tap the floor to send it there.");
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.01, 30);
    this.camera.up.copy(UP);
    this.camera.position.set(...EYE);
    this.scene = new THREE.Scene();
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(FLOOR, FLOOR), new THREE.MeshBasicMaterial({ transparent: true }));
    this.floor.position.z = -0.001; // above the floors of a world
    this.scene.add(this.floor);
    this.#addLights();
    const redraw = () => this.redraw();
    this.robot = new Robot(redraw);
    this.trail = new Trail(redraw);
    this.layers = [this.robot, this.trail, new Goal(redraw), new Hazards(redraw)];
    this.layers.push(new Objects(redraw), new Ground(redraw), new World(redraw));
    this.scene.add(...this.layers.map(({ group }) => group));
    this.controls = new OrbitControls(this.camera, this.canvas);
    Object.assign(this.controls, { maxPolarAngle: 1.5, minDistance: 0.08, maxDistance: 6 });
    this.controls.target.set(0, 0, 0.03);
    this.controls.addEventListener("change", redraw);
    this.controls.update();
    this.canvas.addEventListener("pointerdown", (event) => (this.#down = event));
    this.canvas.addEventListener("pointerup", (event) => this.#onUp(event));
    place.replaceChildren(this.canvas, this.#layerMenu());
    this.sizes = new ResizeObserver(() => this.#resize(place));
    this.sizes.observe(place);
  }

  feeds() {
    return this.layers.flatMap((layer) =>
      Object.entries(layer.feeds()).map(([feed, update]) => [
        feed,
        (value) => {
          update(value);
          this.redraw();
        },
      ]),
    );
  }

  tools() {
    return [
      { iconName: "my_location", label: "Follow the robot", press: () => this.#follow(), isOn: () => this.follows },
      { iconName: "vertical_align_bottom", label: "From above", press: () => this.#lookFrom([-0.001, 0, 0.8]) },
      { iconName: "3d_rotation", label: "From behind", press: () => this.#lookFrom(EYE) },
      { iconName: "cleaning_services", label: "Clear the trail", press: () => this.trail.clear() },
    ];
  }

  useColors(colors) {
    this.floor.material.map?.dispose();
    this.floor.material.map = squares(colors);
    this.floor.material.needsUpdate = true;
    for (const layer of this.layers) layer.useColors(colors);
    this.redraw();
  }

  redraw() {
    this.#frame ||= requestAnimationFrame((now) => this.#draw(now));
  }

  close() {
    cancelAnimationFrame(this.#frame);
    this.sizes.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  #addLights() {
    const sun = new THREE.DirectionalLight("#ffffff", 2.2);
    sun.position.set(-1, -1.5, 3);
    this.scene.add(sun, new THREE.HemisphereLight("#ffffff", "#8a8f98", 1.6));
  }

  #layerMenu() {
    const list = this.layers.map((layer) => {
      const box = make("input", { type: "checkbox" });
      box.checked = true;
      box.onchange = () => {
        layer.isWanted = layer.group.visible = box.checked;
        this.redraw();
      };
      return make("label", {}, box, layer.name);
    });
    return make("details", { class: "cz-layers" }, make("summary", {}, icon("layers"), "Layers"), ...list);
  }

  #resize(place) {
    const { clientWidth: width, clientHeight: height } = place;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
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
    this.floor.position.set(Math.round(x), Math.round(y), this.floor.position.z);
    this.renderer.render(this.scene, this.camera);
    if (isMoving) this.redraw();
  }

  #shift(x, y) {
    this.camera.position.x += x;
    this.camera.position.y += y;
    this.controls.target.x += x;
    this.controls.target.y += y;
    this.camera.lookAt(this.controls.target);
  }

  #follow() {
    this.follows = !this.follows;
    const { x, y } = this.robot.pose ?? this.controls.target;
    if (this.follows) this.#shift(x - this.controls.target.x, y - this.controls.target.y);
    this.redraw();
  }

  // An eye at a place that is given ahead of the robot, left of it and above it.
  #lookFrom([ahead, left, up]) {
    const { x, y, yaw } = this.robot.pose ?? { x: 0, y: 0, yaw: 0 };
    const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
    this.controls.target.set(x, y, 0.03);
    this.camera.position.set(x + c * ahead - s * left, y + s * ahead + c * left, up);
    this.controls.update();
    this.redraw();
  }

  #onUp(event) {
    const down = this.#down;
    this.#down = null;
    if (!down || !event.isPrimary || event.button !== 0) return;
    if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > CLICK) return;
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(
      (2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height,
    );
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.camera);
    const hit = caster.ray.intersectPlane(new THREE.Plane(UP), new THREE.Vector3());
    const isLook = event.shiftKey || event.timeStamp - down.timeStamp > LONG_PRESS;
    if (hit) this.onPoint({ x: hit.x, y: hit.y }, isLook);
  }
}

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
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.repeat.set(FLOOR, FLOOR);
  texture.anisotropy = 8;
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
