// What the vision node knows, in the scene: objects where it has located them, and its map of the ground.
import { box, boxEdges, Mesh, Node, rgb, square } from "./gl.js";
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
      group.position = known.place;
      group.turn = known.turn;
      group.visit((node) => node.look && (node.look.opacity = known.is_sure ? 1 : UNSURE));
      Object.assign(frame.look, { color: known.is_sure ? this.#colors.accent : this.#colors.warn, opacity: 1 });
    }
  }

  #add({ name, kind, size }) {
    const group = new Node();
    const frame = new Mesh(boxEdges(size.map((edge) => edge + 2 * MARGIN)));
    if (kind === "cube") group.add(cubeModel(name.slice(-1), this.redraw));
    else if (kind === "charger") group.add(chargerModel(this.redraw));
    else group.add(new Mesh(box(size), { color: "#c9b48f" }));
    // The charger's own place is its lip on the floor, that of others their middle.
    if (kind === "charger") frame.position = [size[0] / 2, 0, size[2] / 2];
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
    this.plane = new Mesh(square(), { isOverlay: true });
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
    const paints = [null, [...bytes(this.#colors.accent), 56], [...bytes(this.#colors.bad), 210]];
    Uint8Array.from(atob(cells), (character) => character.charCodeAt(0)).forEach((kind, index) => {
      if (paints[kind]) pixels.set(paints[kind], 4 * index);
    });
    this.plane.look.texture = { data: pixels, width, height };
    this.plane.scale = [width * resolution, height * resolution, 1];
    this.plane.position = [x + (width * resolution) / 2, y + (height * resolution) / 2, MAP_HEIGHT];
  }
}

const bytes = (color) => rgb(color).map((part) => Math.round(255 * part));
