// Animations by name: search, favourites, a filmstrip of each, play.
import { iconButton, make } from "./channel.js";

const MOST_ROWS = 60;
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
    this.search = make("input", { type: "search", class: "cz-search", placeholder: "Search", "aria-label": "Search animations" });
    this.search.oninput = () => this.#update();
    const stop = iconButton("stop", "Stop the clip", () => this.dispatchEvent(new CustomEvent("stop")));
    this.list = make("ul", { class: "cz-list" });
    this.note = make("p", { class: "cz-dim", role: "status" }, "Asking the driver …");
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
    this.note.textContent = more > 0 ? `${more} more: search for a part of the name` : `${found.length} found`;
  }

  #row(name, kind) {
    const isFavourite = this.#favourites.has(name);
    const star = iconButton(isFavourite ? "star" : "star_border", `Favourite: ${name}`, () => this.#toggle(name));
    star.setAttribute("aria-pressed", isFavourite);
    const play = iconButton("play_arrow", `Play ${name}`, () => this.dispatchEvent(new CustomEvent("play", { detail: name })));
    const row = make("li", {}, star, make("span", { class: "cz-grow" }, name, make("small", {}, kind)));
    if (kind === "clip") row.append(this.#film(name, row));
    row.append(play);
    return row;
  }

  #film(name, row) {
    const film = iconButton("theaters", `Filmstrip of ${name}`, () => {
      const shown = row.querySelector("img");
      film.setAttribute("aria-expanded", !shown);
      if (shown) shown.remove();
      else row.append(this.#strip(name));
    });
    film.setAttribute("aria-expanded", false);
    return film;
  }

  #strip(name) {
    const strip = make("img", { src: `/clips/${encodeURIComponent(name)}.png`, alt: `Moments of ${name}` });
    strip.onerror = () => strip.replaceWith(make("p", { class: "cz-dim" }, "This computer has no file of the clip."));
    return strip;
  }

  #toggle(name) {
    if (!this.#favourites.delete(name)) this.#favourites.add(name);
    localStorage.setItem(FAVOURITES, JSON.stringify([...this.#favourites]));
    this.#update();
  }
}


customElements.define("cozmo-clips", Clips);
