// Tricks, songs and dances, and meeting a person.
import { channel, FeedElement } from "./channel.js";
import { choice } from "./choice.js";
import { t } from "./texts.js";
import { ask, askUntil, button, card, dim, make, notify, row, toggle } from "./ui.js";

const words = (id) => id.replace(/_/g, " ");
const TEMPO = { low: 60, high: 180, usual: 120 };
const DANCE_TIMES = [10, 20, 60];

class Tricks extends FeedElement {
  #tricks = [];

  render() {
    this.trick = choice(t("Trick"), () => this.#show(), true);
    this.object = choice(t("With what"));
    this.object.options = [["", t("the nearest")]];
    this.about = dim();
    this.missing = make("ul", { class: "cz-missing" });
    this.start = button(t("Do it"), () => this.#do());
    this.append(card(t("Tricks"), this.trick, this.object, this.about, this.missing, row(this.start, button(t("Stop"), () => ask("stop_trick"), "flat"))));
  }

  feeds() {
    return {
      behavior: () => this.#load(),
      cubes: () => this.#load(),
      objects: (objects) => (this.object.options = [["", t("the nearest")], ...objects.map(({ name }) => [name, words(name)])]),
    };
  }

  async #load() {
    if (this.isLoading) return;
    this.isLoading = true;
    const answer = await askUntil(this, "tricks");
    this.isLoading = false;
    this.#tricks = answer.tricks;
    this.trick.options = this.#tricks.map(({ trick }) => [trick, words(trick)]);
    if (!this.trick.value && this.#tricks.length) this.trick.value = (this.#tricks.find((one) => one.is_possible) ?? this.#tricks[0]).trick;
    this.#show();
  }

  #show() {
    const trick = this.#tricks.find((one) => one.trick === this.trick.value);
    if (!trick) return;
    this.about.textContent = trick.about;
    this.missing.replaceChildren(...trick.missing.map((text) => make("li", {}, text)));
    this.start.disabled = !trick.is_possible;
    this.object.hidden = !trick.takes_object;
  }

  async #do() {
    const answer = await ask("do_trick", { trick: this.trick.value, object: this.object.hidden ? "" : this.object.value });
    if (answer.success && answer.message) notify(answer.message, "good");
    this.#load();
  }
}

export function musicCard() {
  const song = choice(t("Song"), undefined, true);
  song.options = [["", t("any")]];
  askUntil(song, "songs").then((answer) => (song.options = [["", t("any")], ...answer.songs]));
  const tempo = make("input", { class: "cz-field", type: "number", min: TEMPO.low, max: TEMPO.high, value: TEMPO.usual, "aria-label": t("Beats per minute") });
  const time = choice(t("How long"));
  time.options = DANCE_TIMES.map((seconds) => [String(seconds), t("{seconds} s", { seconds })]);
  time.value = String(DANCE_TIMES[0]);
  const dance = () => ask("dance", { bpm: tempo.valueAsNumber || TEMPO.usual, duration: Number(time.value) });
  return card(
    t("Songs and dances"),
    song,
    row(button(t("Sing"), () => ask("sing", { song: song.value })), button(t("Stop"), () => ask("stop_music"), "flat")),
    row(make("label", { class: "cz-labelled" }, dim(t("Beats per minute")), tempo), time),
    button(t("Dance"), dance, "outline"),
  );
}

// Who is known is asked for whenever it is opened: where nobody looks for people, nothing ever answers.
class People extends FeedElement {
  #hasAgreed = false;

  render() {
    this.name = make("input", { class: "cz-field", maxlength: 40, placeholder: t("Name"), "aria-label": t("Name") });
    this.start = button(t("Meet"), () => this.#meet());
    this.how = dim(t("Look at the robot from half a metre, in good light."));
    this.known = make("ul", { class: "cz-people" });
    this.agreed = toggle(t("This person agrees that this computer keeps features of the face, no image, until they are deleted"), (on) => this.#setAgreed(on));
    this.name.oninput = () => this.#update();
    this.#update();
    this.append(card(t("Meet a person"), this.name, this.agreed.root, this.how, row(this.start, button(t("Stop"), () => ask("stop_meeting"), "flat")), this.known));
  }

  feeds() {
    return { hello: () => this.#load() };
  }

  #setAgreed(on) {
    this.#hasAgreed = on;
    this.#update();
  }

  #update() {
    this.start.disabled = !(this.#hasAgreed && this.name.value.trim());
  }

  async #load() {
    const answer = await channel.ask("people");
    if (!answer.success) return;
    this.known.replaceChildren(...answer.names.map((one) => make("li", {}, make("span", {}, one), button(t("Forget {name}", { name: one }), () => this.#forget(one), "flat"))));
    if (!answer.can_recognize) this.how.textContent = t("Without the files of docs/vision.md it knows people only by where they are, and asks.");
  }

  async #forget(name) {
    await ask("forget", { name });
    this.#load();
  }

  async #meet() {
    this.start.disabled = true;
    const answer = await ask("meet", { name: this.name.value.trim(), has_agreed: this.#hasAgreed });
    if (answer.success) {
      notify(answer.message, "good");
      this.name.value = "";
      this.agreed.set(false);
      this.#hasAgreed = false;
    }
    this.#update();
    this.#load();
  }
}

customElements.define("cozmo-tricks", Tricks);
customElements.define("cozmo-people", People);
