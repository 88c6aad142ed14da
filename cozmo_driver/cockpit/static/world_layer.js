import { aboutAxis, Mesh, Node, ofAngles, prism } from "./gl.js";
import { Layer } from "./layers.js";
import { chargerModel, cubeModel } from "./props.js";
import { tinted } from "./world.js";

const BASE_TO_ORIGIN = 0.02; // base_link to the point that the emulator counts from, m
const AT_REST = 0.005; // m/s and rad/s

// The emulator's world where it really is. Its frame is another one than the odometry's: they are
// compared while the robot stands, because the two feeds are not of the same moment.
export class World extends Layer {
  #odom = null;
  #cubes = new Map();
  #charger = null;

  constructor(redraw) {
    super("Emulator's world", redraw);
    this.things = new Node();
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
      const mesh = new Mesh(prism(corners), { color: tinted(gray, tint), isLit: false });
      mesh.position = [0, 0, -0.003 + 0.0002 * index]; // later ones lie on earlier ones
      this.things.add(mesh);
    }
    for (const { corners, height, gray, tint } of solids) {
      this.things.add(new Mesh(prism(corners, height), { color: tinted(gray, tint) }));
    }
  }

  #update({ pose, is_off_treads: isHeld, cubes, charger }) {
    this.group.visible = this.#odom !== null && this.isWanted !== false;
    for (const [number, { x, y, z, roll, pitch, yaw }] of Object.entries(cubes)) {
      const cube = this.#cubes.get(number) ?? this.#addCube(number);
      cube.position = [x, y, z];
      cube.turn = ofAngles(roll, pitch, yaw);
    }
    if (charger && !this.#charger) this.#addCharger(charger);
    const isStill = this.#odom && Math.hypot(this.#odom.linear, this.#odom.angular) < AT_REST;
    if (isStill && !isHeld) this.#align(pose);
  }

  #align({ x, y, yaw }) {
    const turn = this.#odom.yaw - yaw;
    const [baseX, baseY] = [x - BASE_TO_ORIGIN * Math.cos(yaw), y - BASE_TO_ORIGIN * Math.sin(yaw)];
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    this.group.turn = aboutAxis([0, 0, 1], turn);
    this.group.position = [this.#odom.x - c * baseX + s * baseY, this.#odom.y - s * baseX - c * baseY, 0];
  }

  #addCube(number) {
    const cube = cubeModel(number, this.redraw);
    this.#cubes.set(number, cube);
    this.group.add(cube);
    return cube;
  }

  #addCharger({ x, y, yaw }) {
    this.#charger = chargerModel(this.redraw);
    this.#charger.position = [x, y, 0];
    this.#charger.turn = aboutAxis([0, 0, 1], yaw);
    this.group.add(this.#charger);
  }
}
