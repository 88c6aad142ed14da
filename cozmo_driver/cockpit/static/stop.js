// STOP: on every tab, for watchers too; by a request of its own, whatever the rest waits for.
import { make, robotName } from "./channel.js";

const TEXT_FIELDS = "input:not([type=range]):not([type=checkbox]), textarea, [contenteditable]";
const KEY_CONTROLS = "button, input, select, a, [role=tab], [role=switch], [role=slider], [role=option]";

// Whether the user walks through the controls by Tab: then Space and arrows belong to them.
let walksByKeys = false;
addEventListener("pointerdown", () => (walksByKeys = false), true);
addEventListener("keydown", (event) => event.key === "Tab" && (walksByKeys = true), true);

export function belongsToControl(event) {
  const target = event.target instanceof Element ? event.target : document.body;
  return Boolean(target.closest(TEXT_FIELDS) || (walksByKeys && target.closest(KEY_CONTROLS)));
}

class Stop extends HTMLElement {
  connectedCallback() {
    if (this.hasChildNodes()) return;
    this.button = make("button", { type: "button", class: "cz-stop", "aria-label": "Stop" }, "STOP");
    this.button.title = "Emergency stop: Escape or the space bar";
    this.error = make("p", { role: "alert", class: "cz-stop-error" });
    this.append(this.button, this.error);
    this.button.onpointerdown = () => this.stop();
    // By Enter, or by a screen reader; after a pointer it comes a second time.
    this.button.onclick = (event) => event.detail === 0 && this.stop();
    addEventListener("keydown", (event) => this.#onKey(event), true);
  }

  #onKey(event) {
    const isDialog = document.querySelector(".q-dialog, .q-menu");
    const isStop = event.code === "Space" ? !belongsToControl(event) : event.key === "Escape" && !isDialog;
    if (isStop && !event.repeat) {
      event.preventDefault();
      event.stopPropagation();
      this.stop();
    }
  }

  async stop() {
    dispatchEvent(new Event("cozmo-stop"));
    let error = "";
    try {
      const query = new URLSearchParams({ robot: robotName });
      const answer = await fetch(`/stop?${query}`, { method: "POST", keepalive: true });
      const { success, message } = await answer.json();
      if (!success) error = message;
    } catch {
      error = "the cockpit is not reached";
    }
    this.error.textContent = error && `The stop did not reach the robot: ${error}`;
  }
}

customElements.define("cozmo-stop", Stop);
