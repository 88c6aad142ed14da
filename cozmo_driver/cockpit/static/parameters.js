// Parameters of nodes: a control for each that fits it, its range, what it does; the last change undone.
import { channel, FeedElement, newOnly } from "./channel.js";
import { t } from "./texts.js";
import { iconButton, make } from "./ui.js";

// Nodes, and what to do where one does not run.
const NODES = {
  cozmo_driver: "does not run: start it with make run",
  cozmo_face: "does not run: start it with make run",
  cozmo_behavior: "does not run: start it with make run BEHAVIOR=1",
  cozmo_vision: "does not run: start it with make run VISION=1",
  cozmo_manipulation: "does not run: start it with make run MANIPULATION=1",
  cozmo_cockpit: "does not answer",
};

const [TRIES, RETRY_MS] = [10, 3000];

// Undefined where the question was lost, none where the node does not answer.
const parametersOf = async (node) => (await channel.ask("parameters", { node })).parameters;

class Parameters extends FeedElement {
  #groups = new Map(); // node: {root, rows: Map of name: Row, source: what they were made from}
  #unseen = newOnly();
  #undone = []; // what to go back to: {node, name, value}

  render() {
    const hint = { placeholder: t("Search names and explanations"), "aria-label": t("Search parameters") };
    this.search = make("input", { type: "search", class: "cz-search", ...hint });
    this.search.oninput = () => this.#filter();
    this.undo = iconButton("undo", t("Undo the last change"), () => this.#undo());
    this.undo.disabled = true;
    const reload = iconButton("refresh", t("Ask the nodes again"), () => this.load());
    this.note = make("p", { class: "cz-dim", role: "status" }, t("Asking the nodes …"));
    this.groups = make("div", { class: "cz-parameters" });
    this.append(make("div", { class: "cz-row" }, this.search, this.undo, reload), this.note, this.groups);
  }

  feeds() {
    return {
      hello: () => this.load(),
      parameter_changes: (changes) => {
        for (const { node, name, value } of this.#unseen(changes)) {
          if (name) this.#row(node, name)?.update(value);
          else this.#loadStarted(node, TRIES);
        }
      },
    };
  }

  load() {
    return Promise.all(
      Object.keys(NODES).map(async (node) => {
        const parameters = await parametersOf(node);
        if (parameters) this.show(node, parameters);
      }),
    );
  }

  // Of a node that was started, which answers only once it has read its files.
  async #loadStarted(node, tries) {
    const parameters = await parametersOf(node);
    if (parameters?.length) this.show(node, parameters);
    else if (tries > 1) setTimeout(() => this.#loadStarted(node, tries - 1), RETRY_MS);
  }

  // Set one, as a text; what becomes of it is shown in its row.
  async set(node, name, value) {
    const row = this.#row(node, name);
    if (!row) return undefined; // its node has ended
    const before = row.value;
    const answer = await channel.ask("set_parameter", { node, name, value: String(value) });
    row.answer(answer.success ? answer.value : before, answer.success ? "" : answer.message);
    return answer.success ? before : undefined;
  }

  async change(node, name, value) {
    const before = await this.set(node, name, value);
    if (before === undefined) return;
    this.#undone.push({ node, name, value: before });
    this.undo.disabled = false;
  }

  // What is refused can be undone later, unless its node has ended.
  async #undo() {
    const last = this.#undone.at(-1);
    const { node, name, value } = last;
    this.undo.disabled = true;
    const isRefused = (await this.set(node, name, value)) === undefined && this.#row(node, name);
    if (!isRefused) {
      this.#undone = this.#undone.filter((one) => one !== last);
      this.#row(node, name)?.update(value);
    }
    this.undo.disabled = this.#undone.length === 0;
  }

  #row(node, name) {
    return this.#groups.get(node)?.rows.get(name);
  }

  // What a node answers, at once: another one may never.
  show(node, parameters) {
    const source = JSON.stringify(parameters);
    const former = this.#groups.get(node);
    if (former?.source === source) {
      for (const { name, value } of parameters) former.rows.get(name).update(value);
      return;
    }
    const root = make("details");
    root.open = former?.root.open ?? false;
    const rows = new Map(parameters.map((info) => [info.name, new Row(this, node, info)]));
    const text = rows.size ? `${rows.size}` : t(NODES[node]);
    const summary = make("summary", {}, make("b", {}, node), make("small", {}, text));
    root.append(summary, ...[...rows.values()].map((row) => row.root));
    if (former) former.root.replaceWith(root);
    this.#groups.set(node, { root, rows, source });
    if (!former) this.groups.replaceChildren(...Object.keys(NODES).flatMap((one) => this.#groups.get(one)?.root ?? []));
    this.#filter();
  }

  #filter() {
    const query = this.search.value.trim().toLowerCase();
    const words = query.split(/\s+/);
    let found = 0;
    for (const { root, rows } of this.#groups.values()) {
      let shown = 0;
      for (const row of rows.values()) {
        row.root.hidden = !words.every((word) => row.text.includes(word));
        shown += !row.root.hidden;
      }
      found += shown;
      if (query) root.open = shown > 0;
    }
    this.note.hidden = this.#groups.size > 0 && !query;
    if (query) this.note.textContent = t("{count} found", { count: found });
  }
}

class Row {
  constructor(list, node, info) {
    this.value = info.value;
    this.text = `${info.name} ${info.text} ${info.rule}`.toLowerCase();
    const id = `cz-${node}-${info.name}`;
    this.control = makeControl(info, id);
    this.reason = make("p", { class: "cz-reason", role: "alert" });
    const range = info.low === null ? [] : [t("{low} to {high}", info)];
    const rule = [...range, ...(info.rule ? [info.rule] : [])].join("; ");
    this.root = make(
      "div",
      { class: "cz-parameter" },
      make("label", { for: id }, info.name),
      this.control,
      make("p", { id: `${id}-text`, class: "cz-dim" }, rule ? `${info.text} (${rule})` : info.text),
      this.reason,
    );
    this.#show();
    this.control.onchange = () => {
      this.reason.textContent = "";
      const value = this.control.type === "checkbox" ? this.control.checked : this.control.value;
      list.change(node, info.name, value);
    };
  }

  update(value) {
    this.value = value;
    if (document.activeElement !== this.control || this.control.type === "checkbox") this.#show();
  }

  answer(value, reason) {
    this.reason.textContent = reason;
    this.value = value;
    if (reason) this.#show();
  }

  #show() {
    if (this.control.type === "checkbox") this.control.checked = this.value;
    else this.control.value = Array.isArray(this.value) ? this.value.join(", ") : String(this.value);
  }
}

function makeControl({ value, low, high, is_fixed: isFixed }, id) {
  const attributes = { id, "aria-describedby": `${id}-text` };
  if (isFixed) attributes.disabled = "";
  if (typeof value === "boolean") return make("input", { ...attributes, type: "checkbox" });
  if (typeof value === "number") {
    if (low !== null) Object.assign(attributes, { min: low, max: high });
    return make("input", { ...attributes, type: "number", step: "any", inputmode: "decimal" });
  }
  return make("input", { ...attributes, type: "text", spellcheck: "false", autocomplete: "off" });
}

customElements.define("cozmo-parameters", Parameters);
