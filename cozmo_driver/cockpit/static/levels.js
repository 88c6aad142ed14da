// Levels of mood and needs as bars with the curve of the last minutes; those at rest in one line.
import { FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { dim, make } from "./ui.js";

const KEPT = 240;
const PERIOD_MS = 1000;
const AT_REST = 0.05;
const SVG = "http://www.w3.org/2000/svg";

class Levels extends FeedElement {
  static period = PERIOD_MS;
  #levels = new Map();
  #last = {};

  render() {
    this.low = Number(this.getAttribute("low"));
    this.rest = dim("", { role: "status" });
    this.append(this.rest);
  }

  feeds() {
    return {
      [this.getAttribute("feed")]: (values) => {
        this.#last = values;
        for (const [name, value] of Object.entries(values)) this.#level(name).set(value);
        this.#tidy(values);
      },
    };
  }

  tick() {
    for (const [name, { level }] of Object.entries(this.#last)) this.#level(name).add(level);
  }

  // Of a mood, what is felt has a bar; of needs, all have one.
  #tidy(values) {
    const isCalm = ({ level }) => this.low < 0 && Math.abs(level) < AT_REST;
    const calm = Object.keys(values).filter((name) => isCalm(values[name]));
    for (const name of Object.keys(values)) this.#level(name).root.hidden = calm.includes(name);
    const names = calm.map((name) => t(name.replaceAll("_", " "))).join(", ");
    this.rest.textContent = names && t("At rest: {names}", { names });
    this.rest.hidden = !names;
  }

  #level(name) {
    if (!this.#levels.has(name)) {
      const level = makeLevel(name, this.low);
      this.#levels.set(name, level);
      this.rest.before(level.root);
    }
    return this.#levels.get(name);
  }
}

function makeLevel(name, low) {
  const text = t(name.replaceAll("_", " "));
  const part = (value) => (100 * (value - low)) / (1 - low);
  const bar = make("span", { class: "cz-bar" });
  const meter = { class: "cz-meter", role: "meter", "aria-label": text, "aria-valuemin": low, "aria-valuemax": 1 };
  const box = make("div", meter, bar);
  const output = make("output");
  const curve = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "polyline");
  curve.setAttribute("viewBox", `0 0 ${KEPT - 1} 20`);
  curve.setAttribute("preserveAspectRatio", "none");
  curve.setAttribute("class", "cz-curve");
  curve.setAttribute("aria-hidden", "true");
  curve.append(line);
  const values = [];
  return {
    root: make("div", { class: "cz-level" }, make("span", {}, text), output, box, curve),
    set({ level, state }) {
      const from = part(Math.min(level, Math.max(low, 0)));
      const to = part(Math.max(level, Math.max(low, 0)));
      bar.style.left = `${from}%`;
      bar.style.width = `${Math.max(1, to - from)}%`;
      box.setAttribute("aria-valuenow", level.toFixed(2));
      box.dataset.state = state ?? "";
      output.textContent = state ? `${Math.round(100 * level)} %, ${t(state)}` : wordOf(level);
    },
    add(level) {
      values.push(level);
      if (values.length > KEPT) values.shift();
      const start = KEPT - values.length;
      line.setAttribute("points", values.map((v, i) => `${start + i},${20 - part(v) / 5}`).join(" "));
    },
  };
}

function wordOf(level) {
  const size = Math.abs(level);
  const word = size < AT_REST ? "at rest" : size < 0.35 ? "a little" : size < 0.7 ? "rather" : "very";
  return t(level < 0 ? `${word}, the opposite` : word);
}

customElements.define("cozmo-levels", Levels);
