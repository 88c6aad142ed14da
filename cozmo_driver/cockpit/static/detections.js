// Markers and faces over the robot's pictures.
import { FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { iconButton, make } from "./ui.js";

const [WIDTH, HEIGHT] = [320, 240];
const SCALE = 2; // pixels of the overlay for one of the picture
const SHOWN_MS = 500; // after the last picture that something was found in

class Detections extends FeedElement {
  #found = { markers: [], faces: [] };
  #timers = {};

  render() {
    this.canvas = make("canvas", { width: SCALE * WIDTH, height: SCALE * HEIGHT, "aria-hidden": "true" });
    this.text = make("span", { class: "cz-hidden" });
    this.append(this.canvas, this.text);
  }

  feeds() {
    return Object.fromEntries(["markers", "faces"].map((feed) => [feed, ({ found }) => this.#show(feed, found)]));
  }

  #show(feed, found) {
    clearTimeout(this.#timers[feed]);
    if (found.length) this.#timers[feed] = setTimeout(() => this.#show(feed, []), SHOWN_MS);
    this.#found[feed] = found;
    this.text.textContent = [...this.#found.markers, ...this.#found.faces].map(({ name }) => name || t("marker")).join(", ");
    this.#draw();
  }

  #draw() {
    const context = this.canvas.getContext("2d");
    context.setTransform(SCALE, 0, 0, SCALE, 0, 0);
    context.clearRect(0, 0, WIDTH, HEIGHT);
    for (const { name, corners } of this.#found.markers) {
      const points = [0, 2, 4, 6].map((index) => [corners[index], corners[index + 1]]);
      outline(context, points, name ? "#3ddc68" : "#ffb300", name || "?");
    }
    for (const { name, box } of this.#found.faces) {
      const [x, y, width, height] = box;
      outline(context, [[x, y], [x + width, y], [x + width, y + height], [x, y + height]], "#52b7ff", name);
    }
  }
}

function outline(context, points, color, name) {
  context.lineJoin = "round";
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.closePath();
  for (const [width, style] of [[3.5, "#000a"], [1.75, color]]) {
    context.lineWidth = width;
    context.strokeStyle = style;
    context.stroke();
  }
  const left = Math.min(...points.map(([x]) => x));
  const top = Math.min(...points.map(([, y]) => y));
  context.font = "600 11px sans-serif";
  context.textBaseline = "bottom";
  const width = context.measureText(name).width + 6;
  const [x, y] = [Math.min(Math.max(left, 0), WIDTH - width), Math.max(top - 3, 13)];
  context.fillStyle = "#000b";
  context.fillRect(x, y - 13, width, 13);
  context.fillStyle = color;
  context.fillText(name, x + 3, y);
}

// The overlay and its switch; while it is off nothing is subscribed to.
class Overlay extends HTMLElement {
  connectedCallback() {
    if (this.hasChildNodes()) return;
    const detections = make("cozmo-detections");
    const button = iconButton("center_focus_strong", t("Show what is recognised"), (event) => {
      event.stopPropagation(); // no place to drive to
      if (detections.isConnected) detections.remove();
      else this.prepend(detections);
      button.setAttribute("aria-pressed", detections.isConnected);
    });
    button.setAttribute("aria-pressed", true);
    this.append(detections, button);
  }
}

customElements.define("cozmo-detections", Detections);
customElements.define("cozmo-overlay", Overlay);
