import { THREE } from "nicegui-scene";
import { Layer } from "./layers.js";
import { stlMesh } from "./urdf.js";
import { tinted } from "./world.js";

const BASE_TO_ORIGIN = 0.02; // base_link to the point that the emulator counts from, m
const [WHITE, BLACK] = ["#f4f4f2", "#101012"];
const AT_REST = 0.005; // m/s and rad/s

// The emulator's world where it really is. Its frame is another one than the odometry's: they are
// compared while the robot stands, because the two feeds are not of the same moment.
export class World extends Layer {
  #odom = null;
  #cubes = new Map();
  #charger = null;

  constructor(redraw) {
    super("Emulator's world", redraw);
    this.things = new THREE.Group();
    this.group.add(this.things);
    this.group.visible = false;
  }

  feeds() {
    return {
      odom: (odom) => (this.#odom = odom),
      layout: (layout) => this.#build(layout),
      world: (world) => this.#update(world),
    };
  }

  #build({ floors, solids }) {
    this.things.clear();
    for (const [index, { corners, gray, tint }] of floors.entries()) {
      const mesh = new THREE.Mesh(new THREE.ShapeGeometry(outline(corners)), material(tinted(gray, tint)));
      mesh.position.z = -0.003 + 0.0002 * index; // later ones lie on earlier ones
      this.things.add(mesh);
    }
    for (const { corners, height, gray, tint } of solids) {
      const block = new THREE.ExtrudeGeometry(outline(corners), { depth: height, bevelEnabled: false });
      this.things.add(new THREE.Mesh(block, material(tinted(gray, tint))));
    }
  }

  #update({ pose, is_off_treads: isHeld, cubes, charger }) {
    this.group.visible = this.#odom !== null && this.isWanted !== false;
    for (const [number, { x, y, z, roll, pitch, yaw }] of Object.entries(cubes)) {
      const cube = this.#cubes.get(number) ?? this.#addCube(number);
      cube.position.set(x, y, z);
      cube.rotation.set(roll, pitch, yaw, "ZYX");
    }
    if (charger && !this.#charger) this.#addCharger(charger);
    const isStill = this.#odom && Math.hypot(this.#odom.linear, this.#odom.angular) < AT_REST;
    if (isStill && !isHeld) this.#align(pose);
  }

  #align({ x, y, yaw }) {
    const turn = this.#odom.yaw - yaw;
    const [baseX, baseY] = [x - BASE_TO_ORIGIN * Math.cos(yaw), y - BASE_TO_ORIGIN * Math.sin(yaw)];
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    this.group.rotation.z = turn;
    this.group.position.set(this.#odom.x - c * baseX + s * baseY, this.#odom.y - s * baseX - c * baseY, 0);
  }

  #addCube(number) {
    const corners = { cube_top_corners: BLACK, cube_bottom_corners: BLACK };
    const faces = { cube_stickers: WHITE, [`cube_marker_${number}`]: BLACK };
    const cube = this.#meshes({ cube_body: "#dbe3e8", ...faces, ...corners });
    this.#cubes.set(number, cube);
    return cube;
  }

  #addCharger({ x, y, yaw }) {
    const sign = { charger_marker_plate: "#303236", charger_sticker: WHITE, charger_marker: BLACK };
    this.#charger = this.#meshes({ charger_base: WHITE, charger_tongue: "#303236", charger_contacts: "#cca64c", ...sign });
    this.#charger.position.set(x, y, 0);
    this.#charger.rotation.z = yaw;
  }

  #meshes(colors) {
    const group = new THREE.Group();
    for (const [name, color] of Object.entries(colors)) group.add(stlMesh(`${name}.stl`, color, this.redraw));
    this.group.add(group);
    return group;
  }
}

const outline = (corners) => new THREE.Shape(corners.map(([x, y]) => new THREE.Vector2(x, y)));
const material = (color) => new THREE.MeshStandardMaterial({ color, side: THREE.DoubleSide });
