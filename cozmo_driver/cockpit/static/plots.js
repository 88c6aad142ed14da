// Curves of the last minute, drawn by the page itself from what comes anyway.
import { FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { make } from "./ui.js";

const SPAN = 60; // s
const HEIGHT = 84;
const REDRAW_MS = 200;
const LINES = ["accent", "warn", "bad"];
const PLOTS = [
  { title: "Battery", unit: "V", digits: 2, least: 0.3, lines: { voltage: ["battery", ({ voltage }) => voltage] } },
  { title: "Speed", unit: "m/s", digits: 2, least: 0.1, lines: { forward: ["odom", ({ linear }) => linear] } },
  { title: "Turn rate", unit: "rad/s", digits: 1, least: 1, lines: { left: ["odom", ({ angular }) => angular] } },
  {
    title: "Acceleration",
    unit: "m/s²",
    digits: 1,
    least: 2,
    lines: { x: ["imu", ({ accel }) => accel[0]], y: ["imu", ({ accel }) => accel[1]], z: ["imu", ({ accel }) => accel[2]] },
  },
  {
    title: "Rotation",
    unit: "rad/s",
    digits: 1,
    least: 1,
    lines: { x: ["imu", ({ gyro }) => gyro[0]], y: ["imu", ({ gyro }) => gyro[1]], z: ["imu", ({ gyro }) => gyro[2]] },
  },
  { title: "Link", unit: "ms", digits: 1, least: 5, lines: { "round trip": ["diagnostics", linkValue("round trip [ms]")] } },
  { title: "Lost pings", unit: "%", digits: 0, least: 5, lines: { lost: ["diagnostics", linkValue("ping loss", 100)] } },
];

function linkValue(key, factor = 1) {
  return (statuses) => {
    const link = statuses.find(({ name }) => name === "link");
    const value = parseFloat(link?.values[key]);
    return Number.isFinite(value) ? factor * value : null;
  };
}

class Plots extends FeedElement {
  static period = REDRAW_MS;

  render() {
    this.plots = PLOTS.map((plot) => new Plot(plot));
    this.append(...this.plots.map(({ root }) => root));
  }

  feeds() {
    const feeds = {};
    for (const plot of this.plots) for (const line of plot.lines) (feeds[line.feed] ??= []).push(line);
    const now = () => performance.now() / 1000;
    const add = (lines) => (value) => lines.forEach((line) => line.add(now(), line.read(value)));
    return Object.fromEntries(Object.entries(feeds).map(([feed, lines]) => [feed, add(lines)]));
  }

  useColors(colors) {
    this.colors = colors;
  }

  tick() {
    if (document.hidden) return;
    for (const plot of this.plots) if (isInSight(plot.root)) plot.draw(performance.now() / 1000, this.colors);
  }
}

const isInSight = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

// Values of the last minute. What does not change is not sent again: it holds until the next value.
class Line {
  values = []; // [time, value]

  constructor(name, feed, read) {
    Object.assign(this, { name, feed, read });
  }

  add(time, value) {
    if (value === null) return;
    this.values.push([time, value]);
    while (this.values.length > 2 && this.values[1][0] < time - SPAN) this.values.shift();
  }
}

class Plot {
  constructor({ title, unit, digits, least, lines }) {
    Object.assign(this, { unit, digits, least });
    this.lines = Object.entries(lines).map(([name, [feed, read]]) => new Line(name, feed, read));
    this.canvas = make("canvas", { height: HEIGHT, role: "img", "aria-label": t(title) });
    this.now = make("output");
    this.title = t(title);
    this.root = make("figure", { class: "cz-plot" }, make("figcaption", {}, make("b", {}, this.title), this.now), this.canvas);
  }

  draw(now, colors) {
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    if (!width) return;
    [this.canvas.width, this.canvas.height] = [width * ratio, HEIGHT * ratio];
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const shown = this.lines.flatMap(({ values }) => values.map(([, value]) => value));
    this.#tell(shown.length > 0);
    if (!shown.length) return;
    const [low, high] = this.#range(Math.min(...shown), Math.max(...shown));
    const x = (time) => width * (1 - (now - time) / SPAN);
    const y = (value) => 4 + (HEIGHT - 8) * (1 - (value - low) / (high - low));
    context.strokeStyle = colors.line;
    context.strokeRect(0.5, 0.5, width - 1, HEIGHT - 1);
    if (low < 0 && high > 0) stroke(context, [[0, y(0)], [width, y(0)]], colors.line, 1);
    this.lines.forEach(({ values }, index) => {
      if (!values.length) return;
      const points = [...values, [now, values.at(-1)[1]]].map(([time, value]) => [x(time), y(value)]);
      stroke(context, points, colors[LINES[index]], 1.5);
    });
    context.fillStyle = colors.dim;
    context.font = "11px system-ui, sans-serif";
    context.fillText(high.toFixed(this.digits), 4, 13);
    context.fillText(low.toFixed(this.digits), 4, HEIGHT - 5);
  }

  #range(low, high) {
    const missing = Math.max(0, this.least - (high - low)) / 2;
    const margin = 0.05 * (high - low);
    return [low - missing - margin, high + missing + margin];
  }

  #tell(hasValues) {
    const texts = this.lines.map(({ name, values }) => {
      const value = values.length ? values.at(-1)[1].toFixed(this.digits) : "–";
      return this.lines.length > 1 ? `${name} ${value}` : value;
    });
    const text = hasValues ? `${texts.join("  ")} ${this.unit}` : t("no value yet");
    if (this.now.textContent === text) return;
    this.now.textContent = text;
    this.canvas.setAttribute("aria-label", t("{title}, the last minute; now {text}", { title: this.title, text }));
  }
}

function stroke(context, points, color, width) {
  context.beginPath();
  for (const point of points) context.lineTo(...point);
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

customElements.define("cozmo-plots", Plots);
