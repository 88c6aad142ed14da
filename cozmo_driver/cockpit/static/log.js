// Facts about the robot; lines of the log and events.
import { FeedElement } from "./channel.js";
import { choice } from "./choice.js";
import { t } from "./texts.js";
import { make } from "./ui.js";

const MOST_LINES = 200;
const LEVELS = { 10: "debug", 20: "info", 30: "warning", 40: "error", 50: "fatal" };
const WORDS = { 10: t("debug"), 30: t("warning"), 40: t("error"), 50: t("fatal") };

class Facts extends FeedElement {
  render() {
    this.list = make("dl", { class: "cz-facts" });
    this.note = make("p", { class: "cz-dim", role: "status" }, t("The robot has not been connected yet."));
    this.append(this.note, this.list);
  }

  feeds() {
    return {
      [this.getAttribute("feed")]: ({ facts }) => {
        const parts = Object.entries(facts).flatMap(([name, text]) => [make("dt", {}, t(name)), make("dd", {}, text)]);
        this.list.replaceChildren(...parts);
        this.note.hidden = true;
      },
    };
  }
}

class Log extends FeedElement {
  #last = 0;

  render() {
    const label = this.getAttribute("label");
    this.search = make("input", { type: "search", class: "cz-search", placeholder: t("Search"), "aria-label": t("Search: {label}", { label }) });
    this.search.oninput = () => this.#filter();
    this.follow = make("input", { type: "checkbox" });
    this.follow.checked = true;
    this.follow.onchange = () => this.#scroll();
    const follow = make("label", { class: "cz-check" }, this.follow, t("Follow"));
    const tools = make("div", { class: "cz-row" }, this.search);
    if (this.hasAttribute("with-level")) tools.append(this.#makeLevel());
    tools.append(follow);
    this.list = make("ol", { class: "cz-log", tabindex: 0, "aria-label": label });
    this.note = make("p", { class: "cz-dim" }, t("Nothing yet."));
    this.append(tools, this.list, this.note);
  }

  #makeLevel() {
    const options = [
      ["10", "all"],
      ["20", "info and above"],
      ["30", "warnings and errors"],
      ["40", "errors"],
    ];
    this.level = choice(t("Level"), () => this.#filter());
    this.level.classList.add("cz-level");
    this.level.options = options.map(([value, text]) => [value, t(text)]);
    this.level.value = "20";
    return this.level;
  }

  feeds() {
    return { [this.getAttribute("feed")]: (lines) => this.#add(lines) };
  }

  // The newest lines, numbered: those that are there already stay, with what is selected in them.
  #add(lines) {
    if (lines.length && lines.at(-1).id < this.#last) {
      this.#last = 0; // another process counts
      this.list.replaceChildren();
    }
    const rows = lines.filter((line) => line.id > this.#last).map(makeRow);
    if (rows.length === 0) return;
    this.#last = lines.at(-1).id;
    this.list.append(...rows);
    while (this.list.childElementCount > MOST_LINES) this.list.firstElementChild.remove();
    this.#filter();
  }

  #filter() {
    const words = this.search.value.toLowerCase().split(/\s+/);
    const least = Number(this.level?.value ?? 0);
    let shown = 0;
    for (const row of this.list.children) {
      const text = row.textContent.toLowerCase();
      row.hidden = Number(row.dataset.level) < least || !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    this.note.hidden = shown > 0;
    this.note.textContent = this.list.childElementCount ? t("No line is like that.") : t("Nothing yet.");
    this.#scroll();
  }

  #scroll() {
    if (this.follow.checked) this.list.scrollTop = this.list.scrollHeight;
  }
}

function makeRow({ time, level = 20, name, text }) {
  const date = new Date(1000 * time);
  const clock = make("time", { datetime: date.toISOString(), title: date.toLocaleString() }, date.toLocaleTimeString());
  const row = make("li", { "data-level": level, "data-state": LEVELS[level] ?? "" }, clock);
  if (level !== 20) row.append(make("b", {}, WORDS[level] ?? String(level)));
  if (name) row.append(make("small", {}, name));
  row.append(make("span", {}, text));
  return row;
}

customElements.define("cozmo-facts", Facts);
customElements.define("cozmo-log", Log);
