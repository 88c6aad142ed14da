// The tab Checkup: what works of a robot, step by step, with whoever stands beside it.
import { channel } from "./channel.js";
import { reports, updateReports } from "./checkup_reports.js";
import { t } from "./texts.js";
import { ask, askUntil, asking, button, card, dim, icon, make, row, setIcon, toggle } from "./ui.js";

const ABOUT = "Finds out in ten minutes what of a robot works, step by step, and makes a report to keep or to send. The driver lets the robot go meanwhile.";
const PREPARE = "Have at hand: the robot charged, a level, matt and light place of 60 x 60 cm with no edge near, its charger plugged in, a cube, a book. What is missing is left out.";
const STAY = "Stay beside the robot, with this page open: without it a robot that drives stops and waits, for five minutes.";
const VERDICTS = { passed: ["check_circle", "ok"], unusual: ["warning", "warn"], failed: ["error", "bad"], skipped: ["schedule", "dim"] };
const BUSY = "schedule";
const KINDS = {
  choose: [
    ["go", "Begin", ""],
    ["skip", "Leave it out", "outline"],
    ["repeat", "Repeat the step before", "flat"],
  ],
  agrees: [
    [true, "Done", ""],
    [false, "Not possible", "outline"],
  ],
  notices: [
    [true, "Yes", ""],
    [false, "No", "outline"],
    [null, "I cannot tell", "flat"],
  ],
};
const STAGES = { starting: "The driver lets the robot go …", running: "Connecting to the robot …", ending: "The driver connects again …" };

export async function build(panel, { read_only: readOnly }) {
  const { steps } = await askUntil(panel, "checkup_steps");
  const list = new Steps(steps);
  const now = new Now(steps, list, readOnly);
  panel.append(make("div", { class: "cz-checkup" }, make("div", {}, now.root, reports(readOnly)), card(t("Steps"), list.root)));
  let stage = "";
  channel.on("checkup", (value) => {
    now.update(value);
    list.update(value);
    if (value.stage === "idle" && stage !== "idle") updateReports(value.report);
    stage = value.stage;
  });
}

// What to do now, and the question that waits for an answer.
class Now {
  #steps;
  #asked = 0;

  constructor(steps, list, readOnly) {
    this.#steps = new Map(steps.map((step) => [step.name, step]));
    this.readOnly = readOnly;
    this.images = toggle(t("Keep an image of some steps"), () => {});
    this.images.set(true);
    this.start = asking(t("Start"), "checkup_start", () => ({ steps: list.chosen, images: this.images.root.firstChild.checked }));
    this.intro = make("div", { class: "cz-checkup-part" }, make("p", {}, t(ABOUT)), dim(t(PREPARE)), dim(t(STAY)), this.images.root, row(this.start, list.choose(t("Choose all"), true), list.choose(t("Choose none"), false)));
    this.again = make("p", { class: "cz-state", role: "status" });
    this.troubles = make("ul", { class: "cz-troubles" });
    this.progress = make("progress", { class: "cz-progress", "aria-label": t("Progress") });
    this.title = make("h3");
    this.does = make("p");
    this.needs = dim();
    this.question = make("p", { class: "cz-question", role: "alert" });
    this.answers = row();
    this.told = dim("", { role: "status" });
    this.end = asking(t("End the checkup"), "checkup_end", undefined, "flat");
    this.work = make("div", { class: "cz-checkup-part" }, this.progress, this.title, this.does, this.needs, this.question, this.answers, this.told, row(this.end));
    this.root = card(t("Checkup"), this.again, this.troubles, this.intro, this.work);
    for (const made of [this.start, this.end, this.images.root]) made.classList.toggle("cz-watching", readOnly);
    this.start.disabled = this.end.disabled = readOnly;
  }

  update(value) {
    const { stage, steps, at, question, results, message } = value;
    const isIdle = stage === "idle";
    const step = this.#steps.get(at);
    const counts = Object.keys(VERDICTS)
      .map((verdict) => [Object.values(results).filter((one) => one.verdict === verdict).length, verdict])
      .filter(([count]) => count)
      .map(([count, verdict]) => `${count} ${t(verdict)}`);
    this.intro.hidden = !isIdle;
    this.work.hidden = isIdle;
    this.again.textContent = isIdle ? [counts.join(", "), t(message)].filter(Boolean).join(". ") : "";
    this.again.hidden = !this.again.textContent;
    this.troubles.replaceChildren(...(isIdle ? this.#troubles(results) : []));
    this.progress.max = Math.max(1, steps.length);
    this.progress.value = Object.keys(results).length;
    this.title.textContent = step ? t("{number} of {count}: {title}", { number: steps.indexOf(at) + 1, count: steps.length, title: t(step.title) }) : t(STAGES[stage] ?? "");
    this.does.textContent = step ? t(step.does) : "";
    this.needs.textContent = step?.needs ? t("Needs: {what}", { what: t(step.needs) }) : "";
    this.needs.hidden = !step?.needs || question?.kind === "agrees";
    this.told.textContent = value.told || (value.is_busy && !question ? t("under way …") : this.#before(results));
    this.#ask(question);
  }

  // What failed or is unusual, with what to do.
  #troubles(results) {
    const troubles = ["failed", "unusual"].flatMap((verdict) => Object.values(results).filter((one) => one.verdict === verdict));
    return troubles.map((one) => {
      const [iconName, state] = VERDICTS[one.verdict];
      const title = make("b", {}, t(this.#steps.get(one.step)?.title ?? one.step));
      return make("li", { "data-state": state }, icon(iconName), make("span", {}, title, make("br"), said(one)));
    });
  }

  // What came of the step before, in one line.
  #before(results) {
    const last = Object.values(results).at(-1);
    const title = last && this.#steps.get(last.step)?.title;
    return title ? `${t(title)}: ${t(last.verdict)}` : "";
  }

  #ask(question) {
    const isSpoken = question !== null && question.kind !== "choose";
    this.question.textContent = isSpoken ? t(question.text) : "";
    this.question.hidden = !isSpoken;
    this.answers.hidden = question === null;
    if (question === null || question.number === this.#asked) {
      if (question === null) this.#asked = 0;
      return;
    }
    this.#asked = question.number;
    const shown = KINDS[question.kind].filter(([value]) => value !== "repeat" || question.can_repeat);
    this.answers.replaceChildren(...shown.map(([value, label, kind]) => this.#answer(question.number, value, label, kind)));
  }

  #answer(number, value, label, kind) {
    const made = button(t(label), () => ask("checkup_answer", { number, value }), kind);
    made.disabled = this.readOnly;
    return made;
  }
}

// Every step: whether it is wanted, and what came of it.
class Steps {
  #rows = new Map();

  constructor(steps) {
    this.root = make("ol", { class: "cz-steps" });
    for (const step of steps) {
      const box = make("input", { type: "checkbox", "aria-label": t(step.title) });
      box.checked = !step.is_optional;
      const image = icon(BUSY);
      const verdict = make("span", { class: "cz-verdict" });
      const text = make("p", { class: "cz-dim" }, t(step.does));
      const moves = step.moves === "treads" ? [make("small", { class: "cz-moves" }, t("drives"))] : [];
      const title = make("span", { class: "cz-grow" }, make("b", {}, t(step.title)), ...moves);
      const root = make("li", {}, make("label", { class: "cz-check" }, box, image, title, verdict), text);
      this.#rows.set(step.name, { step, box, image, verdict, text, root });
      this.root.append(root);
    }
  }

  // A button that chooses every step, or none.
  choose(label, isChosen) {
    return button(label, () => this.#rows.forEach(({ box }) => (box.checked = isChosen)), "flat");
  }

  get chosen() {
    return [...this.#rows.values()].filter(({ box }) => box.checked).map(({ step }) => step.name);
  }

  update({ stage, steps, at, is_busy: isBusy, results }) {
    const isIdle = stage === "idle";
    for (const [name, { step, box, image, verdict, text, root }] of this.#rows) {
      const result = results[name];
      const isNow = !isIdle && name === at && !(result && !isBusy);
      const [iconName, state] = isNow || !result ? [BUSY, isNow ? "now" : ""] : VERDICTS[result.verdict];
      box.hidden = !isIdle;
      image.toggleAttribute("hidden", isIdle && !result);
      setIcon(image, iconName);
      root.dataset.state = state;
      root.hidden = !isIdle && steps.length > 0 && !steps.includes(name);
      if (isNow) root.setAttribute("aria-current", "step");
      else root.removeAttribute("aria-current");
      verdict.textContent = result ? t(result.verdict) : "";
      text.textContent = result ? said(result) : t(step.does);
    }
  }
}

function said({ sentence, advice, unusual }) {
  const beside = unusual.length ? t("unlike the measured robots: {what}", { what: unusual.join(", ") }) : "";
  return [sentence, beside, advice && t("What to do: {advice}", { advice })].filter(Boolean).join(". ");
}
