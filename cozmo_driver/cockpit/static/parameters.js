// Parameters of nodes: a control for each that fits it, its range, what it does.
import { FeedElement, iconButton, make } from "./channel.js";

class Parameters extends FeedElement {
  #nodes = [];
  #groups = new Map(); // node: {root, rows: Map of name: Row, source: what they were made from}

  set nodes(nodes) {
    this.#nodes = nodes ?? [];
    if (this.groups) this.#update();
  }

  render() {
    this.search = make("input", { type: "search", class: "cz-search", placeholder: "Search names and explanations", "aria-label": "Search parameters" });
    this.search.oninput = () => this.#filter();
    const reload = iconButton("refresh", "Ask the nodes again", () => this.dispatchEvent(new CustomEvent("reload")));
    this.note = make("p", { class: "cz-dim", role: "status" }, "Asking the nodes …");
    this.groups = make("div", { class: "cz-parameters" });
    this.append(make("div", { class: "cz-row" }, this.search, reload), this.note, this.groups);
    this.#update();
  }

  feeds() {
    return {
      parameter_changes: (changes) => {
        for (const { node, name, value } of changes) this.#row(node, name)?.update(value);
      },
    };
  }

  // What became of a change; an empty reason: it is done, and `value` is the current one.
  answer({ node, name, value, reason }) {
    this.#row(node, name)?.answer(value, reason);
  }

  #row(node, name) {
    return this.#groups.get(node)?.rows.get(name);
  }

  #update() {
    for (const group of this.#nodes) {
      const source = JSON.stringify(group);
      // Another node's answer must not bring back what these had when they were asked.
      const former = this.#groups.get(group.node);
      if (former?.source === source) continue;
      const root = make("details");
      root.open = former?.root.open ?? false;
      const rows = new Map(group.parameters.map((info) => [info.name, new Row(this, group.node, info)]));
      const text = rows.size ? `${rows.size}` : group.absent;
      const summary = make("summary", {}, make("b", {}, group.node), make("small", {}, text));
      root.append(summary, ...[...rows.values()].map((row) => row.root));
      if (former) former.root.replaceWith(root);
      else this.groups.append(root);
      this.#groups.set(group.node, { root, rows, source });
    }
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
    if (query) this.note.textContent = `${found} found`;
  }
}

class Row {
  constructor(list, node, info) {
    this.value = info.value;
    this.text = `${info.name} ${info.text} ${info.rule}`.toLowerCase();
    const id = `cz-${node}-${info.name}`;
    this.control = makeControl(info, id);
    this.reason = make("p", { class: "cz-reason", role: "alert" });
    const range = info.low === null ? [] : [`${info.low} to ${info.high}`];
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
      list.dispatchEvent(new CustomEvent("set", { detail: { node, name: info.name, value } }));
    };
  }

  update(value) {
    this.value = value;
    if (document.activeElement !== this.control || this.control.type === "checkbox") this.#show();
  }

  answer(value, reason) {
    this.reason.textContent = reason;
    if (reason) this.#show();
    else this.value = value;
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
