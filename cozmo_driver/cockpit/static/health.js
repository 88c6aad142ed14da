// How the robot is, in words, with what to do; the worst first.
import { FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { icon, make, setIcon } from "./ui.js";

const LEVELS = [
  ["check_circle", "ok", t("good")],
  ["warning", "warn", t("warning")],
  ["error", "bad", t("error")],
  ["schedule", "dim", t("no news")],
];
const BAD = [2, 1, 3, 0]; // levels, the worst first
const NO_NEWS = 3;
const PERIOD_MS = 1000; // of every node's diagnostics
const QUIET_PERIODS = 5;

class Health extends FeedElement {
  static period = PERIOD_MS;
  #statuses = new Map(); // key: {status, silence: for how many periods there is no newer one}
  #rows = new Map();

  render() {
    this.connection = make("p", { class: "cz-advice", role: "status" });
    this.list = make("ul", { class: "cz-health" });
    this.append(this.connection, this.list);
  }

  feeds() {
    return {
      connection: ({ is_connected: isConnected, text, message }) => {
        const words = isConnected ? "" : t(message || text);
        this.connection.textContent = words;
        this.connection.hidden = !words;
      },
      diagnostics: (statuses) => {
        for (const status of statuses) {
          const key = `${status.node}: ${status.name}`;
          if (this.#statuses.get(key)?.status.stamp !== status.stamp) this.#statuses.set(key, { status, silence: 0 });
        }
        this.#update();
      },
    };
  }

  // Periods are counted, not times: what nobody looks at is not sent.
  tick() {
    if (document.hidden) return;
    for (const one of this.#statuses.values()) one.silence += 1;
    this.#update();
  }

  #update() {
    const shown = [...this.#statuses].map(([key, { status, silence }]) => [key, silence < QUIET_PERIODS ? status : { ...status, level: NO_NEWS, message: t("no news") }]);
    const order = ({ level }) => BAD.indexOf(level);
    const sorted = shown.sort(([a, one], [b, other]) => order(one) - order(other) || a.localeCompare(b));
    for (const [key, status] of sorted) {
      const row = this.#rows.get(key) ?? this.#addRow(key);
      row.update(status);
    }
    const rows = sorted.map(([key]) => this.#rows.get(key).root);
    // Only where the order changes: what is unfolded or has the focus stays so.
    if (rows.some((row, index) => this.list.children[index] !== row)) this.list.append(...rows);
  }

  #addRow(key) {
    const row = new Row();
    this.#rows.set(key, row);
    return row;
  }
}

class Row {
  constructor() {
    this.icon = icon("schedule");
    this.level = make("span", { class: "cz-hidden" });
    this.name = make("b");
    this.text = make("span");
    this.table = make("dl");
    this.details = make("details", {}, make("summary", {}, this.icon, this.level, this.name, this.text), this.table);
    this.root = make("li", {}, this.details);
    this.details.ontoggle = () => this.#fill();
  }

  update(status) {
    const [iconName, state, word] = LEVELS[status.level] ?? LEVELS[3];
    this.status = status;
    this.root.dataset.state = state;
    setIcon(this.icon, iconName);
    this.level.textContent = word;
    this.name.textContent = status.name;
    this.text.textContent = status.message;
    this.#fill();
  }

  #fill() {
    if (!this.details.open) return;
    const cells = Object.entries(this.status.values).flatMap(([key, value]) => [make("dt", {}, key), make("dd", {}, value)]);
    this.table.replaceChildren(...cells);
  }
}

customElements.define("cozmo-health", Health);
