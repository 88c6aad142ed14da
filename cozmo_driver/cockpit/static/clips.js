// Animations by name: search, favourites, a filmstrip of each, play.
import { t } from "./texts.js";
import { ask, iconButton, make } from "./ui.js";

const MOST_ROWS = 60;
const KINDS = { trigger: t("trigger"), group: t("group"), clip: t("clip") };
const FAVOURITES = "cozmo-favourites";

class Clips extends HTMLElement {
  #names = []; // [name, kind], triggers first: they are what the robot means
  #favourites = new Set(JSON.parse(localStorage.getItem(FAVOURITES) ?? "[]"));

  set names(value) {
    this.#names = ["triggers", "groups", "clips"].flatMap((kind) =>
      (value?.[kind] ?? []).map((name) => [name, kind.slice(0, -1)]),
    );
    this.#update();
  }

  connectedCallback() {
    if (this.list) return;
    this.search = make("input", { type: "search", class: "cz-search", placeholder: t("Search"), "aria-label": t("Search animations") });
    this.search.oninput = () => this.#update();
    const stop = iconButton("stop", t("Stop the clip"), () => ask("stop_clip"));
    this.list = make("ul", { class: "cz-list" });
    this.note = make("p", { class: "cz-dim", role: "status" }, t("Asking the driver …"));
    this.append(make("div", { class: "cz-row" }, this.search, stop), this.list, this.note);
    this.#update();
  }

  #update() {
    if (!this.list || this.#names.length === 0) return;
    const words = this.search.value.toLowerCase().split(/\s+/);
    const found = this.#names.filter(([name]) => words.every((word) => name.toLowerCase().includes(word)));
    found.sort(([a], [b]) => this.#favourites.has(b) - this.#favourites.has(a));
    this.list.replaceChildren(...found.slice(0, MOST_ROWS).map(([name, kind]) => this.#row(name, kind)));
    const more = found.length - MOST_ROWS;
    this.note.textContent = more > 0 ? t("{count} more: search for a part of the name", { count: more }) : t("{count} found", { count: found.length });
  }

  #row(name, kind) {
    const isFavourite = this.#favourites.has(name);
    const star = iconButton(isFavourite ? "star" : "star_border", t("Favourite: {name}", { name }), () => this.#toggle(name));
    star.setAttribute("aria-pressed", isFavourite);
    const play = iconButton("play_arrow", t("Play {name}", { name }), () => ask("play", { name }));
    const row = make("li", {}, star, make("span", { class: "cz-grow" }, name, make("small", {}, KINDS[kind])));
    if (kind === "clip") row.append(this.#film(name, row));
    row.append(play);
    return row;
  }

  #film(name, row) {
    const film = iconButton("theaters", t("Filmstrip of {name}", { name }), () => {
      const shown = row.querySelector("img");
      film.setAttribute("aria-expanded", !shown);
      if (shown) shown.remove();
      else row.append(this.#strip(name));
    });
    film.setAttribute("aria-expanded", false);
    return film;
  }

  #strip(name) {
    const strip = make("img", { src: `/clips/${encodeURIComponent(name)}.png`, alt: t("Moments of {name}", { name }) });
    strip.onerror = () => strip.replaceWith(make("p", { class: "cz-dim" }, t("This computer has no file of the clip.")));
    return strip;
  }

  #toggle(name) {
    if (!this.#favourites.delete(name)) this.#favourites.add(name);
    localStorage.setItem(FAVOURITES, JSON.stringify([...this.#favourites]));
    this.#update();
  }
}

customElements.define("cozmo-clips", Clips);
