// What the personality does and why; levels as bars with the curve of the last minutes.
import { FeedElement, make, robotName } from "./channel.js";

const KEPT = 240;
const PERIOD_MS = 1000;
const NODE = [robotName, "cozmo_behavior"].filter(Boolean).join("/");
const SVG = "http://www.w3.org/2000/svg";

class Doing extends FeedElement {
  render() {
    this.setAttribute("role", "status");
    this.what = make("strong");
    this.why = make("p", { class: "cz-dim" });
    this.append(this.what, this.why);
  }

  feeds() {
    return {
      behavior: (it) => {
        const what = it.suspended_by ? `gives way to ${it.suspended_by}` : it.behavior || it.state;
        this.what.textContent = it.behavior || it.suspended_by ? `${it.state}: ${what}` : it.state;
        this.state = it;
        this.#explain();
      },
      diagnostics: (statuses) => {
        const life = statuses.find((one) => one.name === "life" && one.node === NODE);
        if (!life) return;
        this.life = life.values;
        this.#explain();
      },
    };
  }

  #explain() {
    const { activity, reaction, behavior, resuming } = this.state ?? {};
    const life = this.life?.behavior === behavior ? this.life : {};
    const lines = [
      activity && `Activity: ${activity}`,
      reaction && `Reaction to: ${reaction}`,
      life.step && `Step: ${life.step}`,
      life.reason && `Why: ${life.reason}`,
      resuming && `Afterwards: ${resuming}`,
    ];
    this.why.replaceChildren(...lines.filter(Boolean).flatMap((line) => [line, make("br")]));
  }
}

class Levels extends FeedElement {
  #levels = new Map();
  #last = {};

  render() {
    this.low = Number(this.getAttribute("low"));
  }

  feeds() {
    return {
      [this.getAttribute("feed")]: (values) => {
        this.#last = values;
        for (const [name, value] of Object.entries(values)) this.#level(name).set(value);
      },
    };
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => {
      for (const [name, { level }] of Object.entries(this.#last)) this.#level(name).add(level);
    }, PERIOD_MS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  #level(name) {
    if (!this.#levels.has(name)) {
      const level = makeLevel(name, this.low);
      this.#levels.set(name, level);
      this.append(level.root);
    }
    return this.#levels.get(name);
  }
}

function makeLevel(name, low) {
  const text = name.replaceAll("_", " ");
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
      output.textContent = state ? `${level.toFixed(2)} ${state}` : level.toFixed(2);
    },
    add(level) {
      values.push(level);
      if (values.length > KEPT) values.shift();
      const start = KEPT - values.length;
      line.setAttribute("points", values.map((v, i) => `${start + i},${20 - part(v) / 5}`).join(" "));
    },
  };
}

customElements.define("cozmo-doing", Doing);
customElements.define("cozmo-levels", Levels);
