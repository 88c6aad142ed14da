// A camera that is turned about its target by dragging, moved with Shift, the right button or two
// fingers, and comes nearer by the wheel or two fingers.
import { sub } from "./gl.js";

const [NEAREST, FARTHEST] = [0.08, 6]; // m
const [HIGHEST, LOWEST] = [0.001, 1.5]; // rad from straight above
const ZOOM = 1.0015;

export class Orbit {
  #pointers = new Map();

  constructor(camera, canvas, onChange) {
    Object.assign(this, { camera, canvas, onChange });
    canvas.addEventListener("pointerdown", (event) => this.#onDown(event));
    canvas.addEventListener("pointermove", (event) => this.#onMove(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, ({ pointerId }) => this.#pointers.delete(pointerId));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
  }

  #onDown(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, event);
  }

  #onMove(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    this.#pointers.set(event.pointerId, event);
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    if (this.#pointers.size === 1 && !event.shiftKey && !(event.buttons & 2)) this.#turn(dx, dy);
    else if (this.#pointers.size === 1) this.#pan(dx, dy);
    else if (this.#pointers.size === 2) {
      const [other] = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, one]) => one);
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      this.#zoom(apart(before) / Math.max(1, apart(event)));
      this.#pan(dx / 2, dy / 2);
    }
    this.onChange();
  }

  #onWheel(event) {
    event.preventDefault();
    this.#zoom(ZOOM ** event.deltaY);
    this.onChange();
  }

  #turn(dx, dy) {
    const { target, place } = this.camera;
    const [x, y, z] = sub(place, target);
    const distance = Math.hypot(x, y, z);
    const yaw = Math.atan2(y, x) - (2 * Math.PI * dx) / this.canvas.clientHeight;
    const tilt = Math.acos(z / distance) - (Math.PI * dy) / this.canvas.clientHeight;
    const down = Math.min(LOWEST, Math.max(HIGHEST, tilt));
    const flat = distance * Math.sin(down);
    this.camera.place = [target[0] + flat * Math.cos(yaw), target[1] + flat * Math.sin(yaw), target[2] + distance * Math.cos(down)];
  }

  // Over the floor.
  #pan(dx, dy) {
    const { target, place, view } = this.camera;
    const [, right, up] = this.camera.axes;
    const metres = (2 * view * Math.hypot(...sub(place, target))) / this.canvas.clientHeight;
    const ahead = Math.hypot(up[0], up[1]) || 1;
    for (const axis of [0, 1]) {
      const by = metres * (dy * (up[axis] / ahead) - dx * right[axis]);
      target[axis] += by;
      place[axis] += by;
    }
  }

  #zoom(factor) {
    const { target, place } = this.camera;
    const offset = sub(place, target);
    const now = Math.hypot(...offset);
    const next = Math.min(FARTHEST, Math.max(NEAREST, now * factor));
    this.camera.place = target.map((part, axis) => part + (offset[axis] * next) / now);
  }
}
