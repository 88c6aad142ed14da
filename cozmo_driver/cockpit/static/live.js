// The tab Live: the personality, what it may do, how it feels, what it does and why; games, tricks and songs.
import { channel, FeedElement, newOnly, robotName } from "./channel.js";
import { choice } from "./choice.js";
import { t } from "./texts.js";
import { ask, askUntil, button, card, dim, make, notify, row, toggle } from "./ui.js";
import { musicCard } from "./tricks.js";
import "./games.js";
import "./levels.js";

const PERSONALITY = "cozmo_behavior";
const PERIOD_MS = 1000; // of every node's diagnostics
const QUIET_PERIODS = 5;
const REFRESH_MS = 5000;
const RETRY_MS = 3000; // until a parameter that was not told is asked for again
const NODE = [robotName, PERSONALITY].filter(Boolean).join("/");
const PERMISSIONS = {
  allow_motion: "It may drive",
  allow_leaving_charger: "It may leave its charger",
  allow_going_home: "It may go home to charge",
  mood_on_face: "Its face shows its mood",
};
const ABSENT = "The personality does not run: start it with make run BEHAVIOR=1, or with behavior:=true in the launch file.";

// An id in words: PounceOnMotion, play_alone.look.
export const words = (id) => id.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_./]+/g, " ").toLowerCase();

const lifeOf = (statuses) => statuses.find((one) => one.name === "life" && one.node === NODE);

export function build(panel) {
  const absence = make("cozmo-absence");
  const cards = make("div", { class: "cz-cards" });
  cards.hidden = true;
  absence.onPresence = (isPresent) => {
    cards.hidden = !isPresent;
    if (!isPresent || cards.hasChildNodes()) return;
    cards.append(
      personality(),
      make("cozmo-games"),
      make("cozmo-tricks"),
      musicCard(),
      make("cozmo-people"),
      card(t("Mood"), make("cozmo-levels", { feed: "mood", low: -1 })),
      card(t("Needs"), make("cozmo-levels", { feed: "needs", low: 0 })),
      requests(),
    );
  };
  panel.append(absence, cards);
}

// Says that the personality does not run; what it has said last is there after its end, too.
class Absence extends FeedElement {
  static period = PERIOD_MS;
  #stamp = null;
  #silence = 0; // for how many periods there is no newer stamp
  onPresence = () => {};

  render() {
    this.append(make("p", { class: "cz-notice", role: "status" }, t(ABSENT)));
  }

  feeds() {
    return {
      behavior: () => this.#stamp === null && this.#hear(),
      diagnostics: (statuses) => {
        const life = lifeOf(statuses);
        if (!life || life.stamp === this.#stamp) return;
        this.#stamp = life.stamp;
        this.#hear();
      },
    };
  }

  #hear() {
    this.#silence = 0;
    this.#show(true);
  }

  // Periods are counted, not times: a page that is hidden or not connected is sent nothing.
  tick() {
    if (document.hidden || !channel.isHeard) return;
    this.#silence += 1;
    if (this.#silence >= QUIET_PERIODS) this.#show(false);
  }

  #show(isPresent) {
    this.hidden = isPresent;
    this.onPresence(isPresent);
  }
}

function personality() {
  const alive = toggle(t("Alive"), (data) => ask("enable", { data }));
  channel.on("behavior", ({ is_enabled: isEnabled }) => alive.set(isEnabled));
  const permissions = Object.entries(PERMISSIONS).map(([name, text]) => permission(name, t(text)));
  return card(t("Personality"), alive.root, make("cozmo-doing"), ...permissions, quietHours());
}

// Show a parameter of it, undefined while that is not known. Returns what asks for it again.
function follow(parameter, show) {
  const unseen = newOnly();
  let timer = 0;
  const load = async () => {
    clearTimeout(timer);
    const { success, value } = await channel.ask("parameter", { node: PERSONALITY, name: parameter });
    show(success ? value : undefined);
    if (!success) timer = setTimeout(load, RETRY_MS);
  };
  channel.on("parameter_changes", (changes) => {
    for (const { node, name, value } of unseen(changes)) {
      if (node !== PERSONALITY) continue;
      if (name === parameter) show(value);
      else if (!name) load(); // it was started
    }
  });
  channel.on("hello", load);
  return load;
}

function permission(name, text) {
  const made = toggle(text, (value) => ask("personality", { name, value }));
  made.set(undefined);
  follow(name, made.set);
  return made.root;
}

function quietHours() {
  const NEVER = [0, 0];
  const EVENING = [21, 7];
  const fields = [t("from, hour"), t("to, hour")].map((label) => make("input", { class: "cz-field", type: "number", min: 0, max: 24, step: 0.5, "aria-label": label, title: label }));
  const times = row(t("from"), fields[0], t("to"), fields[1], t("o'clock"));
  const send = async (hours) => {
    if ((await ask("personality", { name: "quiet_hours", value: hours })).success) return;
    for (const field of fields) field.blur(); // one that has the focus shows what is typed
    load();
  };
  const show = (hours) => {
    const isOn = hours && hours[0] !== hours[1];
    isQuiet.set(isOn);
    times.hidden = !isOn;
    if (isOn) fields.forEach((field, index) => field !== document.activeElement && (field.value = hours[index]));
  };
  const isQuiet = toggle(t("It dozes at night, silent and still"), (isOn) => {
    const hours = isOn ? EVENING : NEVER;
    show(hours);
    send(hours);
  });
  for (const field of fields) field.onchange = () => send(fields.map((one) => one.valueAsNumber || 0));
  show(undefined);
  const load = follow("quiet_hours", show);
  return make("div", {}, isQuiet.root, times);
}

class Doing extends FeedElement {
  render() {
    this.setAttribute("role", "status");
    this.what = make("strong");
    this.why = make("div");
    this.append(this.what, this.why);
  }

  feeds() {
    return {
      behavior: (it) => {
        this.state = it;
        this.#explain();
      },
      diagnostics: (statuses) => {
        const life = lifeOf(statuses);
        if (!life) return;
        this.life = life.values;
        this.#explain();
      },
    };
  }

  #explain() {
    if (!this.state) return;
    const { state, activity, reaction, behavior, resuming, suspended_by: suspendedBy } = this.state;
    const what = suspendedBy ? t("gives way to {who}", { who: words(suspendedBy) }) : words(behavior);
    this.what.textContent = what ? `${t(state)}: ${what}` : t(state);
    const life = this.life?.behavior === behavior ? this.life : {};
    const lines = [
      reaction && t("because of: {reaction}", { reaction: words(reaction) }),
      life.reason && (/^score /.test(life.reason) ? t("because it felt most like it") : t("because: {reason}", { reason: life.reason })),
      life.step && t("just now: {step}", { step: words(life.step) }),
      activity && t("as part of: {activity}", { activity: words(activity) }),
      resuming && t("afterwards it goes on with: {behavior}", { behavior: words(resuming) }),
    ];
    this.why.replaceChildren(...lines.filter(Boolean).map((line) => dim(line)));
  }
}

// Behaviours, activities and reactions by name.
function requests() {
  let chosen = "";
  const about = dim("", { role: "status" });
  const explain = async () => {
    const { value } = behavior;
    const { success, behaviors: reasons } = await channel.ask("behaviors");
    if (!success || behavior.value !== value) return;
    const why = reasons[value] ? t("not now: {why}", { why: reasons[value] }) : "";
    if (about.textContent !== why) about.textContent = why;
  };
  const choose = () => {
    about.textContent = "";
    explain();
  };
  const behavior = choice(t("Behaviour"), choose, true);
  setInterval(() => behavior.value && about.checkVisibility() && explain(), REFRESH_MS);
  const reaction = choice(t("Reaction"), undefined, true);
  const need = choice(t("What serves a need"), undefined, true);
  const prefer = async (value) => {
    if ((await ask("personality", { name: "activity", value })).success) chosen = value;
    else activity.value = chosen;
  };
  const activity = choice(t("Activity before all others"), prefer, true);
  const named = (names) => names.map((name) => [name, words(name)]);
  askUntil(behavior, "behaviors").then((found) => {
    behavior.options = named(Object.keys(found.behaviors));
    reaction.options = named(found.reactions);
    need.options = named(found.need_actions);
    activity.options = [["", t("as it likes")], ...named(found.activities)];
    activity.value = chosen = found.activity;
  });
  const serve = async () => {
    const answer = need.value && (await ask("serve", { action: need.value }));
    if (answer?.success) notify(`${words(need.value)}: ${answer.message}`, "good");
  };
  return card(
    t("Ask for something"),
    behavior,
    about,
    row(button(t("Run"), () => behavior.value && ask("run", { name: behavior.value })), button(t("Stop"), () => ask("stop_run"), "flat")),
    row(reaction, button(t("React"), () => reaction.value && ask("react", { reaction: reaction.value }))),
    row(need, button(t("Serve"), serve)),
    activity,
  );
}

customElements.define("cozmo-absence", Absence);
customElements.define("cozmo-doing", Doing);
