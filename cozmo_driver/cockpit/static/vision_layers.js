// What the vision node knows, in the scene: objects where it has located them, and its map of the ground.
import { THREE } from "nicegui-scene";
import { Layer } from "./layers.js";
import { chargerModel, cubeModel } from "./props.js";

const MARGIN = 0.003; // of the frame around an object, m
const UNSURE = 0.45; // opacity of an object that may have been moved
const MAP_HEIGHT = -0.0005; // above the grid, below trail and goal

// Cubes, the charger and boxes with tags. Framed, so that they are told from those of the emulator's
// world; faint and framed as a warning where they are not sure to be there.
export class Objects extends Layer {
  #shown = new Map(); // name: {group, frame}
  #known = [];
  #colors = {};

  constructor(redraw) {
    super("Objects seen", redraw);
  }

  useColors(colors) {
    this.#colors = colors;
    this.#update();
  }

  feeds() {
    return {
      objects: (known) => {
        this.#known = known;
        this.#update();
      },
    };
  }

  #update() {
    for (const { group } of this.#shown.values()) group.visible = false;
    for (const known of this.#known) {
      const { group, frame } = this.#shown.get(known.name) ?? this.#add(known);
      group.visible = true;
      group.position.set(...known.place);
      group.quaternion.set(...known.turn);
      frame.material.color.set(known.is_sure ? this.#colors.accent : this.#colors.warn);
      group.traverse(({ isMesh, material }) => {
        if (isMesh) Object.assign(material, { transparent: !known.is_sure, opacity: known.is_sure ? 1 : UNSURE });
      });
    }
  }

  #add({ name, kind, size }) {
    const group = new THREE.Group();
    const box = new THREE.BoxGeometry(...size.map((edge) => edge + 2 * MARGIN));
    const frame = new THREE.LineSegments(new THREE.EdgesGeometry(box), new THREE.LineBasicMaterial());
    if (kind === "cube") group.add(cubeModel(name.slice(-1), this.redraw));
    else if (kind === "charger") group.add(chargerModel(this.redraw));
    else group.add(new THREE.Mesh(new THREE.BoxGeometry(...size), new THREE.MeshStandardMaterial({ color: "#c9b48f" })));
    // The charger's own place is its lip on the floor, that of others their middle.
    if (kind === "charger") frame.position.set(size[0] / 2, 0, size[2] / 2);
    group.add(frame);
    this.group.add(group);
    const made = { group, frame };
    this.#shown.set(name, made);
    return made;
  }
}

// Free ground and what ends it, one pixel of a picture for each cell of 1 cm.
export class Ground extends Layer {
  #map = null;
  #colors = null;

  constructor(redraw) {
    super("Ground seen", redraw);
    const material = new THREE.MeshBasicMaterial({ transparent: true, depthWrite: false });
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), material);
    this.plane.renderOrder = 1; // after the floor
    this.plane.position.z = MAP_HEIGHT;
    this.plane.visible = false;
    this.group.add(this.plane);
  }

  useColors(colors) {
    this.#colors = colors;
    this.#draw();
  }

  feeds() {
    return {
      ground: (map) => {
        this.#map = map;
        this.#draw();
      },
    };
  }

  #draw() {
    if (!this.#map || !this.#colors) return;
    const { x, y, resolution, width, height, cells } = this.#map;
    this.plane.visible = width > 0;
    if (!width) return;
    const pixels = new Uint8Array(4 * width * height);
    const paints = [null, [...rgb(this.#colors.accent), 56], [...rgb(this.#colors.bad), 210]];
    Uint8Array.from(atob(cells), (character) => character.charCodeAt(0)).forEach((kind, index) => {
      if (paints[kind]) pixels.set(paints[kind], 4 * index);
    });
    this.plane.material.map?.dispose();
    const texture = new THREE.DataTexture(pixels, width, height);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.needsUpdate = true;
    this.plane.material.map = texture;
    this.plane.material.needsUpdate = true;
    this.plane.scale.set(width * resolution, height * resolution, 1);
    this.plane.position.set(x + (width * resolution) / 2, y + (height * resolution) / 2, MAP_HEIGHT);
  }
}

const rgb = (color) => {
  const { r, g, b } = new THREE.Color(color).convertLinearToSRGB();
  return [r, g, b].map((part) => Math.round(255 * part));
};
