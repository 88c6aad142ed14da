// What the scene shows. A layer has a `name` for its switch, a `group` of nodes, and `feeds()`:
// {feed: what to do with a value}. Whatever else a robot may see is one more of these.
import { aboutAxis, box, cylinder, lines, Mesh, Node, ring } from "./gl.js";
import { buildRobot } from "./urdf.js";

const TRAIL_POINTS = 4000;
const TRAIL_STEP = 0.005;
const LEAP = 0.1; // m; farther than that it was carried
const FASTEST = 0.25; // m/s
const SMOOTHING = 0.08; // s

export class Layer {
  group = new Node();

  // `redraw` is called whenever there is something new to draw.
  constructor(name, redraw) {
    this.name = name;
    this.redraw = redraw;
  }

  feeds() {
    return {};
  }

  // Move on by dt seconds; true while it has not come to rest.
  animate() {
    return false;
  }

  useColors() {}
}

export class Robot extends Layer {
  #body = new Node();
  #model = null;
  #angles = {};
  #target = null;
  pose = null; // {x, y, yaw} as it is drawn

  constructor(redraw) {
    super("Robot", redraw);
    // Until its description has come.
    const body = new Mesh(box([0.088, 0.06, 0.06]));
    body.position = [0.008, 0, 0.04];
    this.#body.add(body);
    this.group.add(this.#body);
  }

  feeds() {
    return {
      description: (text) => {
        this.#model = buildRobot(text, this.redraw);
        this.#body.clear().add(this.#model.root);
        this.#turn();
      },
      joints: ({ angles }) => {
        this.#angles = angles;
        this.#turn();
      },
      odom: (pose) => {
        this.#target = pose;
      },
    };
  }

  #turn() {
    for (const [joint, angle] of Object.entries(this.#angles)) this.#model?.turn(joint, angle);
  }

  animate(dt) {
    if (!this.#target) return false;
    this.pose ??= this.#target;
    const share = 1 - Math.exp(-dt / SMOOTHING);
    const { x, y, yaw } = this.#target;
    const step = [x - this.pose.x, y - this.pose.y];
    const turn = Math.atan2(Math.sin(yaw - this.pose.yaw), Math.cos(yaw - this.pose.yaw));
    const isThere = Math.hypot(...step, 0.05 * turn) < 1e-4;
    const part = isThere || Math.hypot(...step) > LEAP ? 1 : share;
    this.pose = { x: this.pose.x + part * step[0], y: this.pose.y + part * step[1], yaw: this.pose.yaw + part * turn };
    this.#body.position = [this.pose.x, this.pose.y, 0];
    this.#body.turn = aboutAxis([0, 0, 1], this.pose.yaw);
    return !isThere;
  }
}

export class Trail extends Layer {
  #count = 0;
  #last = null;

  constructor(redraw) {
    super("Trail", redraw);
    this.shape = { mode: "LINES", places: new Float32Array(6 * TRAIL_POINTS), version: 0, count: 0 };
    this.line = new Mesh(this.shape);
    this.group.add(this.line);
  }

  useColors({ accent }) {
    this.line.look.color = accent;
  }

  feeds() {
    return {
      odom: ({ x, y }) => {
        const now = performance.now() / 1000;
        this.#last ??= { x, y, time: now };
        const distance = Math.hypot(x - this.#last.x, y - this.#last.y);
        if (distance < TRAIL_STEP) return;
        const wasCarried = distance > LEAP + FASTEST * (now - this.#last.time);
        if (!wasCarried) this.#add([this.#last.x, this.#last.y], [x, y]);
        this.#last = { x, y, time: now };
      },
    };
  }

  clear() {
    this.#count = 0;
    this.shape.count = 0;
    this.redraw();
  }

  #add(from, to) {
    const at = 6 * (this.#count++ % TRAIL_POINTS); // the oldest give way
    this.shape.places.set([...from, 0.001, ...to, 0.001], at);
    this.shape.version += 1;
    this.shape.count = 2 * Math.min(this.#count, TRAIL_POINTS);
  }
}

// Where the robot has been sent or looks, the line to there, and a planner's path if there is one.
export class Goal extends Layer {
  #pose = null;
  #goal = null;

  constructor(redraw) {
    super("Goal and path", redraw);
    this.ring = new Mesh(ring(0.016, 0.022), { isLit: false });
    this.pole = new Mesh(cylinder(0.0015, 0.06), { isLit: false });
    this.pole.position = [0, 0, 0.03];
    this.ring.add(this.pole).visible = false;
    this.path = new Mesh(lines([]));
    this.plan = new Mesh(lines([]));
    this.group.add(this.ring, this.path, this.plan);
  }

  useColors({ warn, accent }) {
    for (const mesh of [this.ring, this.pole, this.path]) mesh.look.color = warn;
    this.plan.look.color = accent;
  }

  feeds() {
    return {
      odom: (pose) => {
        this.#pose = pose;
        this.#update();
      },
      goal: (goal) => {
        this.#goal = goal;
        this.#update();
      },
      plan: (points) => setLine(this.plan, points),
    };
  }

  #update() {
    this.ring.visible = this.#goal !== null;
    const points = this.#goal && this.#pose ? [this.#pose, this.#goal].map(({ x, y }) => [x, y]) : [];
    if (this.#goal) this.ring.position = [this.#goal.x, this.#goal.y, 0.002];
    setLine(this.path, points);
  }
}

function setLine(mesh, points) {
  mesh.shape = lines(points.map(([x, y]) => [x, y, 0.002]));
}

// Places where the robot met an edge, pushed against something or stalled.
export class Hazards extends Layer {
  constructor(redraw) {
    super("Hazards", redraw);
    this.points = new Mesh(lines([], "POINTS"), { size: 0.012 });
    this.group.add(this.points);
  }

  useColors({ bad }) {
    this.points.look.color = bad;
  }

  feeds() {
    return {
      hazards: (places) => (this.points.shape = lines(places.map(([x, y]) => [x, y, 0.01]), "POINTS")),
    };
  }
}
