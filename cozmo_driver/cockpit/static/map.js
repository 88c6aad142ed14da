// The floor from above on a plain canvas: metres to pixels, pan and zoom, and what points at it.

const ZOOM = 1.0015;
const SCALES = [30, 4000]; // pixels per metre
const CLICK = 6; // pixels that a click may move
const BARS = [0.05, 0.1, 0.2, 0.5, 1, 2];

export class FloorMap {
  #frame = 0;
  #pointers = new Map();
  #grab = null;
  scale = 500;
  center = [0, 0];
  draw = () => {}; // (context, map): in metres, y up
  onDown = () => null; // (point): {move(point), up(point)} for a drag of its own, null to pan
  onClick = () => {};

  constructor(label) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "cz-map";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", label);
    this.canvas.onpointerdown = (event) => this.#onDown(event);
    this.canvas.onpointermove = (event) => this.#onMove(event);
    this.canvas.onpointerup = this.canvas.onpointercancel = (event) => this.#onUp(event);
    this.canvas.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    this.sizes = new ResizeObserver(() => this.redraw());
    this.sizes.observe(this.canvas);
  }

  redraw() {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  // Show everything between two corners.
  fit([left, bottom], [right, top]) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.center = [(left + right) / 2, (bottom + top) / 2];
    this.#zoom(0.92 * Math.min(width / (right - left), height / (top - bottom)));
  }

  show(center, scale) {
    this.center = center;
    this.#zoom(scale);
  }

  pointOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return [
      this.center[0] + (event.clientX - box.left - box.width / 2) / this.scale,
      this.center[1] - (event.clientY - box.top - box.height / 2) / this.scale,
    ];
  }

  #zoom(scale) {
    this.scale = Math.min(SCALES[1], Math.max(SCALES[0], scale));
    this.redraw();
  }

  #draw() {
    this.#frame = 0;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    if (!width || !height) return;
    [this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
    const context = this.canvas.getContext("2d");
    const scale = this.scale * ratio;
    context.setTransform(scale, 0, 0, -scale, (width / 2) * ratio - this.center[0] * scale, (height / 2) * ratio + this.center[1] * scale);
    this.draw(context, this);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#drawBar(context, height);
  }

  #drawBar(context, height) {
    const length = BARS.find((one) => one * this.scale > 60) ?? BARS.at(-1);
    context.fillStyle = context.strokeStyle = getComputedStyle(this.canvas).color;
    context.lineWidth = 2;
    context.strokeRect(12, height - 14, length * this.scale, 0.01);
    context.font = "12px system-ui, sans-serif";
    context.fillText(length < 1 ? `${100 * length} cm` : `${length} m`, 12, height - 20);
  }

  #onDown(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, event);
    if (this.#pointers.size > 1) return;
    const drag = this.onDown(this.pointOf(event));
    this.#grab = { drag, x: event.clientX, y: event.clientY, center: this.center, hasMoved: false };
  }

  #onMove(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before || !this.#grab) return;
    if (this.#pointers.size === 2) {
      const [other] = [...this.#pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, one]) => one);
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      this.#zoom((this.scale * apart(event)) / Math.max(1, apart(before)));
      this.#grab.hasMoved = true;
    } else {
      const [dx, dy] = [event.clientX - this.#grab.x, event.clientY - this.#grab.y];
      this.#grab.hasMoved ||= Math.hypot(dx, dy) > CLICK;
      if (this.#grab.drag) this.#grab.drag.move(this.pointOf(event));
      else if (this.#grab.hasMoved) {
        this.center = [this.#grab.center[0] - dx / this.scale, this.#grab.center[1] + dy / this.scale];
        this.redraw();
      }
    }
    this.#pointers.set(event.pointerId, event);
  }

  #onUp(event) {
    this.#pointers.delete(event.pointerId);
    if (!this.#grab || this.#pointers.size) return;
    const { drag, hasMoved } = this.#grab;
    this.#grab = null;
    if (drag) drag.up(this.pointOf(event), hasMoved);
    else if (!hasMoved && event.type === "pointerup") this.onClick(this.pointOf(event));
  }

  #onWheel(event) {
    event.preventDefault();
    const before = this.pointOf(event);
    this.#zoom(this.scale * ZOOM ** -event.deltaY);
    const after = this.pointOf(event);
    this.center = [this.center[0] + before[0] - after[0], this.center[1] + before[1] - after[1]];
  }
}

// Fill a polygon of corners in metres.
export function fillPolygon(context, corners, color, edge = "") {
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
  context.fillStyle = color;
  context.fill();
  if (edge) {
    context.strokeStyle = edge;
    context.stroke();
  }
}

// Corners of a rectangle that reaches so far ahead, back and to both sides of a pose.
export function rectangle({ x, y, yaw }, front, rear, half) {
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
  return [[front, half], [front, -half], [-rear, -half], [-rear, half]].map(([ahead, left]) => [
    x + c * ahead - s * left,
    y + s * ahead + c * left,
  ]);
}

// The robot from above: body, head, eyes ahead; `front` and `rear` from the point that `pose` is of.
export function drawRobot(context, pose, front, rear, colors) {
  fillPolygon(context, rectangle(pose, front, rear, 0.03), colors.panel, colors.text);
  const nose = { ...pose, x: pose.x + (front - 0.03) * Math.cos(pose.yaw), y: pose.y + (front - 0.03) * Math.sin(pose.yaw) };
  fillPolygon(context, rectangle(nose, 0.026, 0, 0.02), colors.text);
  for (const left of [0.01, -0.01]) {
    const [c, s] = [Math.cos(pose.yaw), Math.sin(pose.yaw)];
    const eye = { x: nose.x + 0.018 * c - left * s, y: nose.y + 0.018 * s + left * c, yaw: pose.yaw };
    fillPolygon(context, rectangle(eye, 0.005, 0.005, 0.005), "#35d0e6");
  }
}

// The pose of a frame in another one, of that of the other one in it: x, y and yaw.
export function inverse([x, y, yaw]) {
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
  return [-c * x - s * y, s * x - c * y, -yaw];
}
