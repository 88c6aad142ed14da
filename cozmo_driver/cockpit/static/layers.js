// What the scene shows. A layer has a `name` for its switch, a `group` of three.js, and `feeds()`:
// {feed: what to do with a value}. Whatever else a robot may see is one more of these.
import { THREE } from "nicegui-scene";
import { buildRobot } from "./urdf.js";

const TRAIL_POINTS = 4000;
const TRAIL_STEP = 0.005;
const LEAP = 0.1; // m; farther than that it was carried
const FASTEST = 0.25; // m/s
const SMOOTHING = 0.08; // s

export class Layer {
  group = new THREE.Group();

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
  #body = new THREE.Group();
  #model = null;
  #angles = {};
  #target = null;
  pose = null; // {x, y, yaw} as it is drawn

  constructor(redraw) {
    super("Robot", redraw);
    // Until its description has come.
    const box = new THREE.Mesh(new THREE.BoxGeometry(0.088, 0.06, 0.06), new THREE.MeshStandardMaterial());
    box.position.set(0.008, 0, 0.04);
    this.#body.add(box);
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
    const way = [x - this.pose.x, y - this.pose.y];
    const turn = Math.atan2(Math.sin(yaw - this.pose.yaw), Math.cos(yaw - this.pose.yaw));
    const isThere = Math.hypot(...way, 0.05 * turn) < 1e-4;
    const part = isThere || Math.hypot(...way) > LEAP ? 1 : share;
    this.pose = { x: this.pose.x + part * way[0], y: this.pose.y + part * way[1], yaw: this.pose.yaw + part * turn };
    this.#body.position.set(this.pose.x, this.pose.y, 0);
    this.#body.rotation.z = this.pose.yaw;
    return !isThere;
  }
}

export class Trail extends Layer {
  #count = 0;
  #last = null;

  constructor(redraw) {
    super("Trail", redraw);
    const places = new THREE.BufferAttribute(new Float32Array(6 * TRAIL_POINTS), 3);
    this.geometry = new THREE.BufferGeometry().setAttribute("position", places);
    this.geometry.setDrawRange(0, 0);
    this.line = new THREE.LineSegments(this.geometry, new THREE.LineBasicMaterial());
    this.line.frustumCulled = false;
    this.group.add(this.line);
  }

  useColors({ accent }) {
    this.line.material.color.set(accent);
  }

  feeds() {
    return {
      odom: ({ x, y }) => {
        const now = performance.now() / 1000;
        this.#last ??= { x, y, time: now };
        const way = Math.hypot(x - this.#last.x, y - this.#last.y);
        if (way < TRAIL_STEP) return;
        const wasCarried = way > LEAP + FASTEST * (now - this.#last.time);
        if (!wasCarried) this.#add([this.#last.x, this.#last.y], [x, y]);
        this.#last = { x, y, time: now };
      },
    };
  }

  clear() {
    this.#count = 0;
    this.geometry.setDrawRange(0, 0);
    this.redraw();
  }

  #add(from, to) {
    const { position } = this.geometry.attributes;
    const at = 2 * (this.#count++ % TRAIL_POINTS); // the oldest give way
    position.setXYZ(at, ...from, 0.001);
    position.setXYZ(at + 1, ...to, 0.001);
    position.needsUpdate = true;
    this.geometry.setDrawRange(0, 2 * Math.min(this.#count, TRAIL_POINTS));
  }
}

// Where the robot has been sent or looks, the way there, and a planner's path if there is one.
export class Goal extends Layer {
  #pose = null;
  #goal = null;

  constructor(redraw) {
    super("Goal and path", redraw);
    this.material = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
    this.ring = new THREE.Mesh(new THREE.RingGeometry(0.016, 0.022, 40), this.material);
    const pole = new THREE.Mesh(new THREE.CylinderGeometry(0.0015, 0.0015, 0.06, 8), this.material);
    pole.rotation.x = Math.PI / 2;
    pole.position.z = 0.03;
    this.ring.add(pole).visible = false;
    this.way = line();
    this.plan = line();
    this.group.add(this.ring, this.way, this.plan);
  }

  useColors({ warn, accent }) {
    this.material.color.set(warn);
    this.way.material.color.set(warn);
    this.plan.material.color.set(accent);
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
    if (this.#goal) this.ring.position.set(this.#goal.x, this.#goal.y, 0.002);
    setLine(this.way, points);
  }
}

const line = () => {
  const made = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
  made.frustumCulled = false;
  return made;
};
function setLine(made, points) {
  made.geometry.dispose();
  made.geometry = new THREE.BufferGeometry().setFromPoints(points.map(([x, y]) => new THREE.Vector3(x, y, 0.002)));
}

// Places where the robot met an edge, pushed against something or stalled.
export class Hazards extends Layer {
  constructor(redraw) {
    super("Hazards", redraw);
    this.material = new THREE.PointsMaterial({ size: 0.012 });
    this.points = new THREE.Points(new THREE.BufferGeometry(), this.material);
    this.points.frustumCulled = false;
    this.group.add(this.points);
  }

  useColors({ bad }) {
    this.material.color.set(bad);
  }

  feeds() {
    return {
      hazards: (places) => {
        const points = places.map(([x, y]) => new THREE.Vector3(x, y, 0.01));
        this.points.geometry.dispose();
        this.points.geometry = new THREE.BufferGeometry().setFromPoints(points);
      },
    };
  }
}
