// One of many: a field that opens a list in the page, under STOP; what is typed filters it.
import { t } from "./texts.js";
import { icon, make } from "./ui.js";

let number = 0;

class Choice extends HTMLElement {
  #options = new Map();
  #value = "";
  #at = -1;

  connectedCallback() {
    if (this.hasChildNodes()) return;
    const id = `cz-list-${number++}`;
    const label = this.getAttribute("label");
    const field = { class: "cz-field", role: "combobox", "aria-label": label, "aria-expanded": false, "aria-controls": id, autocomplete: "off", placeholder: label };
    this.input = make("input", field);
    this.input.readOnly = !this.hasAttribute("search");
    this.list = make("ul", { id, role: "listbox", "aria-label": label, class: "cz-options" });
    this.list.hidden = true;
    this.append(make("span", { class: "cz-field-label", "aria-hidden": true }, label), this.input, icon("expand_more"), this.list);
    this.input.onclick = () => this.#open();
    this.input.oninput = () => this.#open(this.input.value);
    this.input.onkeydown = (event) => this.#onKey(event);
    this.input.onblur = () => this.#close();
    this.list.onpointerdown = (event) => event.preventDefault(); // the field keeps the focus
    this.list.onclick = (event) => this.#choose(event.target.closest("[role=option]")?.dataset.value);
    this.#show();
  }

  get value() {
    return this.#value;
  }

  set value(value) {
    this.#value = this.#options.has(value) ? value : "";
    if (this.input && document.activeElement !== this.input) this.#show();
    else if (this.input && this.list.hidden) this.#show();
  }

  // Pairs of a value and its text; what was chosen stays as long as it is there.
  set options(pairs) {
    const options = new Map(pairs);
    if (JSON.stringify([...options]) === JSON.stringify([...this.#options])) return;
    this.#options = options;
    this.value = this.#value;
    if (this.input && !this.list.hidden) this.#open();
  }

  #show() {
    this.input.value = this.#options.get(this.#value) ?? "";
  }

  #open(query = "") {
    const words = query.toLowerCase().split(/\s+/);
    const found = [...this.#options].filter(([, text]) => words.every((word) => text.toLowerCase().includes(word)));
    this.list.replaceChildren(
      ...found.map(([value, text], index) =>
        make("li", { role: "option", id: `${this.list.id}-${index}`, "data-value": value, "aria-selected": value === this.#value }, text),
      ),
    );
    this.#mark(found.findIndex(([value]) => value === this.#value));
    if (!found.length) this.list.append(make("li", { role: "option", "aria-disabled": true }, t("nothing to choose")));
    this.#setOpen(true);
  }

  #close() {
    this.#setOpen(false);
    this.#show();
  }

  #setOpen(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", isOpen);
  }

  #mark(at) {
    this.#at = at;
    for (const [index, item] of [...this.list.children].entries()) item.toggleAttribute("data-at", index === at);
    const item = this.list.children[at];
    item?.scrollIntoView({ block: "nearest" });
    if (item) this.input.setAttribute("aria-activedescendant", item.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  #choose(value) {
    if (value === undefined) return;
    const isNew = value !== this.#value;
    this.#value = value;
    this.#close();
    if (isNew) this.dispatchEvent(new CustomEvent("choose", { detail: value }));
  }

  #onKey(event) {
    const isOpen = !this.list.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      event.stopPropagation();
      if (!isOpen) this.#open();
      else this.#mark(Math.min(this.list.childElementCount - 1, Math.max(0, this.#at + step)));
    } else if (event.key === "Enter" && isOpen && this.#at >= 0) {
      event.preventDefault();
      this.#choose(this.list.children[this.#at].dataset.value);
    } else if (event.key === "Enter" && !isOpen) this.#open();
    else if (event.key === "Escape" && isOpen) this.#close();
  }
}

customElements.define("cozmo-choice", Choice);

// A choice; `onchoose` gets what the user chooses.
export function choice(label, onchoose = () => {}, isSearched = false) {
  const made = make("cozmo-choice", { label, ...(isSearched ? { search: "" } : {}) });
  made.addEventListener("choose", (event) => onchoose(event.detail));
  return made;
}
