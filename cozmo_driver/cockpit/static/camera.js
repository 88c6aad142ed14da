// The robot's pictures as they come, with their age.
import { FeedElement, icon, make } from "./channel.js";

const WIDTH = 320;
const HEIGHT = 240;
const LATE_S = 0.5;

class Camera extends FeedElement {
  render() {
    this.canvas = make("canvas", { width: WIDTH, height: HEIGHT, role: "img", "aria-label": "Camera" });
    this.age = make("span", { class: "cz-age" });
    this.empty = make("div", { class: "cz-empty" }, icon("videocam_off"), make("span", {}, "No picture yet"));
    this.append(this.canvas, this.age, this.empty);
  }

  feeds() {
    return { [this.getAttribute("feed") ?? "camera"]: (age, blob) => this.#draw(age, blob) };
  }

  connectedCallback() {
    super.connectedCallback();
    this.timer = setInterval(() => this.#showAge(), 250);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  async #draw(age, blob) {
    const received = performance.now();
    const picture = await createImageBitmap(blob);
    this.canvas.getContext("2d").drawImage(picture, 0, 0, WIDTH, HEIGHT);
    picture.close();
    this.empty.hidden = true;
    this.taken = received - 1000 * age;
    this.drawn = performance.now();
    this.pictureAge = (this.drawn - this.taken) / 1000;
    this.dispatchEvent(new CustomEvent("picture", { detail: this.pictureAge }));
  }

  #showAge() {
    if (this.taken === undefined) return;
    // Of the picture when it was drawn; of one that stays, how long it is ago.
    const now = performance.now();
    const age = now - this.drawn > 1000 * LATE_S ? (now - this.taken) / 1000 : this.pictureAge;
    this.age.textContent = age < 1 ? `${Math.round(1000 * age)} ms` : `${age.toFixed(1)} s ago`;
    this.age.dataset.state = age > LATE_S ? "bad" : "";
  }
}

customElements.define("cozmo-camera", Camera);
