// STOP: on every tab, for watchers too; by a request of its own, whatever the rest waits for.
import { channel, robotName } from "./channel.js";
import { t } from "./texts.js";
import { make } from "./ui.js";

const TEXT_FIELDS = "input:not([type=range], [type=checkbox], [type=color], [readonly]), textarea, [contenteditable]";
// What Space presses, unfolds or plays.
const KEY_CONTROLS = "button, input, select, a, summary, audio, [role=tab], [role=switch], [role=slider], [role=option]";

// Whether the user walks through the controls by Tab: then Space and arrows belong to them.
let walksByKeys = false;
addEventListener("pointerdown", () => (walksByKeys = false), true);
addEventListener("keydown", (event) => event.key === "Tab" && (walksByKeys = true), true);

const isWithin = (event, selector) => event.target instanceof Element && event.target.closest(selector) !== null;

export function belongsToControl(event) {
  return isWithin(event, TEXT_FIELDS) || (walksByKeys && (isWithin(event, KEY_CONTROLS) || scrollsLog(event)));
}

// A log that is short, or at its end as while it follows, has nothing to do for Space.
function scrollsLog(event) {
  const log = event.target instanceof Element ? event.target.closest(".cz-log") : null;
  if (!log) return false;
  return event.shiftKey ? log.scrollTop > 0 : log.scrollTop + log.clientHeight < log.scrollHeight - 1;
}

// Escape leaves full screen, and no page gets that key: leaving it stops, unless it is by a button.
let leavesByButton = false;

export function leaveFullScreen() {
  leavesByButton = true;
  document.exitFullscreen().catch(() => (leavesByButton = false));
}

// Longer than Wi-Fi takes; what is not confirmed by then is said.
const DEADLINE_MS = 1500;
const UNCONFIRMED = t("STOP is not confirmed. Stop the robot by hand.");
const LOST = t("Not connected: STOP may not arrive.");

// By a request of its own and by the channel: one of them may hang.
class Stop extends HTMLElement {
  #number = 0;
  #pending = 0; // number of the press that nothing has confirmed yet
  #why = ""; // it is not confirmed
  #deadline = 0;
  #isThere = false; // the robot
  #drives = false;
  #wasStopped = false; // by a status since the last press

  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.button = make("button", { type: "button", class: "cz-stop", "aria-label": t("Stop") }, "STOP");
    this.button.title = t("Emergency stop: Escape or the space bar");
    this.error = document.querySelector(".cz-stop-error");
    this.append(this.button);
    this.button.onpointerdown = () => this.stop();
    // By Enter, or by a screen reader; after a pointer it comes a second time.
    this.button.onclick = (event) => event.detail === 0 && this.stop();
    addEventListener("keydown", (event) => this.#onKey(event), true);
    document.addEventListener("fullscreenchange", () => this.#onFullScreen());
    channel.on("stopped", (answer) => this.#onAnswer(answer));
    channel.on("status", ({ is_stopped }) => this.#onStatus(is_stopped));
    channel.on("connection", ({ is_connected }) => this.#onRobot(is_connected));
    channel.on("wheel", ({ holder }) => (this.#drives = holder === "you"));
    channel.on("open", (isOpen) => {
      document.body.classList.toggle("cz-lost", !isOpen);
      if (isOpen && this.#pending) this.#ask();
      this.#show();
    });
  }

  // Whoever releases it has seen that it was stopped.
  #onStatus(isStopped) {
    if (this.#wasStopped && !isStopped) this.#confirm();
    this.#wasStopped = isStopped;
  }

  // A robot that is back is asked again: its driver may be a new one, which nobody has stopped.
  #onRobot(isThere) {
    this.#isThere = isThere;
    if (!isThere) this.#wasStopped = false;
    if (isThere && this.#pending) this.#ask();
  }

  #onKey(event) {
    const isSpace = event.code === "Space";
    // Who walks through the controls presses them by Space, unless this page drives.
    const belongs = isSpace && (this.#drives ? isWithin(event, TEXT_FIELDS) : belongsToControl(event));
    if (belongs || !(isSpace || event.key === "Escape") || event.repeat) return;
    this.stop();
    if (isSpace) {
      event.preventDefault();
      event.stopPropagation(); // Escape goes on: it closes a menu, too
    }
  }

  #onFullScreen() {
    if (document.fullscreenElement) return;
    if (!leavesByButton) this.stop();
    leavesByButton = false;
  }

  stop() {
    this.#pending = ++this.#number;
    this.#wasStopped = false;
    dispatchEvent(new Event("cozmo-stop"));
    this.#ask();
  }

  // Again and again until a robot that is there has confirmed it.
  #ask() {
    const number = this.#pending;
    channel.send("stop", number);
    this.#request(number);
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#onDeadline(number), DEADLINE_MS);
  }

  #onDeadline(number) {
    if (number !== this.#pending) return;
    if (!this.#why) this.#fail(number, "The cockpit does not answer");
    if (this.#isThere && channel.isHeard) this.#ask();
  }

  async #request(number) {
    try {
      const query = new URLSearchParams({ robot: robotName });
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const answer = await fetch(`/stop?${query}`, { method: "POST", keepalive: true, signal });
      if (answer.ok) this.#onAnswer({ number, ...(await answer.json()) });
      else this.#fail(number, (await answer.text()).trim());
    } catch {
      // The channel may still bring an answer.
    }
  }

  #onAnswer({ number, success, message }) {
    if (!success) this.#fail(number, message);
    else if (number === this.#pending) this.#confirm();
  }

  #confirm() {
    this.#pending = 0;
    this.#why = "";
    this.#show();
  }

  #fail(number, why) {
    if (number !== this.#pending) return;
    this.#why = t(why);
    this.#show();
  }

  #show() {
    this.error.textContent = this.#why ? UNCONFIRMED : channel.isHeard ? "" : LOST;
    this.error.title = this.#why;
  }
}

customElements.define("cozmo-stop", Stop);
