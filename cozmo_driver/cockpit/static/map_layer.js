// The map of landmarks in the scene, placed in odom as the robot knows it now, and how well it does.
import { aboutAxis, box, Mesh, Node, ring } from "./gl.js";
import { Layer } from "./layers.js";
import { inverse } from "./map.js";

const THICK = 0.003; // m
const WHITE = 1.25; // of a card, in sizes of its tag
const LEAST = 0.004; // m; a smaller ellipse would not be seen
const ABOVE = 0.08; // the floor, m: on it the robot would hide a small one

export class Landmarks extends Layer {
  #tags = [];
  #colors = {};

  constructor(redraw) {
    super("Map of tags", redraw);
    this.map = new Node();
    this.ellipse = new Mesh(ring(0.88, 1), { isLit: false });
    this.map.visible = this.ellipse.visible = false;
    this.group.add(this.map, this.ellipse);
  }

  useColors(colors) {
    this.#colors = colors;
    this.ellipse.look.color = colors.accent;
    this.#build();
  }

  feeds() {
    return {
      landmarks: (tags) => {
        this.#tags = tags;
        this.#build();
      },
      whereabouts: ({ odom, ellipse }) => {
        this.map.visible = this.ellipse.visible = odom !== null && ellipse !== null;
        if (this.map.visible) this.#place(odom, ellipse);
      },
    };
  }

  #place(odom, [x, y, angle, along, across]) {
    const [atX, atY, yaw] = inverse(odom);
    this.map.position = [atX, atY, 0];
    this.map.turn = aboutAxis([0, 0, 1], yaw);
    this.ellipse.position = [x, y, ABOVE];
    this.ellipse.turn = aboutAxis([0, 0, 1], angle);
    this.ellipse.scale = [Math.max(along, LEAST), Math.max(across, LEAST), 1];
  }

  #build() {
    this.map.clear();
    for (const { place, turn, size, is_doubted: isDoubted } of this.#tags) {
      const tag = new Node();
      [tag.position, tag.turn] = [place, turn];
      const card = new Mesh(box([WHITE * size, THICK, WHITE * size]), { color: "#f4f4f0" });
      card.position = [0, THICK, 0];
      tag.add(card, new Mesh(box([size, THICK, size]), { color: isDoubted ? this.#colors.bad : "#101216" }));
      this.map.add(tag);
    }
  }
}
