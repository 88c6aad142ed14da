// Games with the robot: what could begin now, how the game stands, what the robot asks.
import { channel, FeedElement } from "./channel.js";
import { choice } from "./choice.js";
import { t } from "./texts.js";
import { ask, button, card, dim, make, row } from "./ui.js";

const NAMES = { quick_tap: "Quick Tap", memory_match: "Memory Match", keepaway: "Keepaway", guard_dog: "Guard Dog" };
const MOST_ROUNDS = 9;
const REFRESH_MS = 5000;

export const gameName = (name) => NAMES[name] ?? name;
const numbers = (from, to, step = 1) => Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => String(from + index * step));

class Games extends FeedElement {
  static period = REFRESH_MS;
  #games = [];
  #isOwn = false; // only the page that began a game can end it

  render() {
    this.game = choice(t("Game"), () => this.#show());
    this.level = choice(t("Level"));
    this.rounds = choice(t("Rounds"));
    this.people = choice(t("People"));
    this.about = dim();
    this.missing = make("ul", { class: "cz-missing" });
    this.start = button(t("Play"), () => this.#play());
    this.stop = button(t("End the game"), () => ask("stop_game"), "outline");
    this.append(card(t("Games"), make("cozmo-request"), make("cozmo-score"), this.game, row(this.level, this.rounds, this.people), this.about, this.missing, row(this.start, this.stop)));
    this.#setPlaying(false);
  }

  connectedCallback() {
    super.connectedCallback();
    this.#load();
  }

  tick() {
    if (this.checkVisibility()) this.#load();
  }

  feeds() {
    return {
      behavior: () => this.#load(),
      cubes: () => this.#load(),
      game: ({ is_playing: isPlaying }) => this.#setPlaying(isPlaying),
    };
  }

  async #load() {
    if (this.isLoading) return;
    this.isLoading = true;
    const answer = await channel.ask("games", {});
    this.isLoading = false;
    if (!answer.success) return;
    this.#games = answer.games;
    this.game.options = this.#games.map(({ game }) => [game, gameName(game)]);
    if (!this.game.value && this.#games.length) this.game.value = (this.#games.find((one) => one.is_playable) ?? this.#games[0]).game;
    this.#show();
  }

  #show() {
    const game = this.#games.find((one) => one.game === this.game.value);
    if (!game) return;
    const solo = game.can_be_solo ? [["solo", t("alone")]] : [];
    const two = game.most_players > 1 ? [["2", t("two people")]] : [];
    this.#fill(this.level, numbers(1, game.levels).map((value) => [value, t("level {number}", { number: value })]));
    const bestOf = game.has_rounds ? numbers(1, MOST_ROUNDS, 2) : [];
    this.#fill(this.rounds, [["0", t("as usual")], ...bestOf.map((value) => [value, t("best of {number}", { number: value })])]);
    this.#fill(this.people, [["1", t("one person")], ...two, ...solo]);
    this.about.textContent = game.about;
    this.missing.replaceChildren(...game.missing.map((text) => make("li", {}, text)));
    this.start.disabled = !game.is_playable;
  }

  #fill(made, options) {
    const { value } = made;
    made.options = options;
    made.value = options.some(([one]) => one === value) ? value : options[0][0];
    made.hidden = options.length < 2;
  }

  #setPlaying(isPlaying) {
    this.stop.hidden = !(isPlaying && this.#isOwn);
    this.start.hidden = isPlaying;
  }

  async #play() {
    const people = this.people.value;
    this.#isOwn = true;
    this.#setPlaying(true);
    await ask("play_game", {
      game: this.game.value,
      level: Number(this.level.value),
      rounds: Number(this.rounds.value),
      players: people === "2" ? 2 : 1,
      is_solo: people === "solo",
    });
    this.#isOwn = false;
    this.#setPlaying(false);
    this.#load();
  }
}

// How the game stands: for whoever looks, whoever asked for it.
class Score extends FeedElement {
  render() {
    this.heading = make("strong");
    this.phase = make("p", { class: "cz-game-text", role: "status" });
    this.table = make("table", { class: "cz-points" });
    this.append(this.heading, this.phase, this.table);
    this.hidden = true;
  }

  feeds() {
    return { game: (state) => this.#show(state) };
  }

  #show(state) {
    this.hidden = !state.game;
    this.dataset.state = state.is_playing ? "playing" : "over";
    const phase = state.is_playing ? t("round {number}", { number: state.round }) : t("over");
    this.heading.textContent = `${gameName(state.game)}, ${phase}`;
    this.phase.textContent = state.text;
    const hasSecond = state.second_points > 0 || state.second_rounds > 0;
    const sides = [[t("Robot"), "robot", 1], [hasSecond ? t("Player {number}", { number: 1 }) : t("You"), "player", 2]];
    if (hasSecond) sides.push([t("Player {number}", { number: 2 }), "second", 4]);
    const head = make("tr", {}, make("th"), ...[t("Points"), t("Rounds won")].map((text) => make("th", { scope: "col" }, text)));
    const rows = sides.map(([name, side, number]) => {
      const cells = [state[`${side}_points`], state[`${side}_rounds`]].map((value) => make("td", {}, String(value)));
      const made = make("tr", {}, make("th", { scope: "row" }, name), ...cells);
      if (!state.is_playing && state.winner === number) made.dataset.won = "";
      return made;
    });
    this.table.replaceChildren(head, ...rows);
  }
}

// The robot asks for a game: yes or no, or a tap on a cube.
class GameRequest extends FeedElement {
  render() {
    this.text = make("strong");
    const yes = button(t("Yes"), () => ask("answer_game", { is_accepted: true }));
    const no = button(t("No, later"), () => ask("answer_game", { is_accepted: false }), "outline");
    this.append(make("div", { class: "cz-notice", role: "status" }, this.text, dim(t("Tap a cube to say yes.")), row(yes, no)));
    this.hidden = true;
  }

  feeds() {
    return {
      game_request: ({ game, text }) => {
        this.hidden = !game;
        this.text.textContent = t("The robot asks: {question}", { question: text });
      },
    };
  }
}

customElements.define("cozmo-score", Score);
customElements.define("cozmo-request", GameRequest);
customElements.define("cozmo-games", Games);
