// What manipulation can do, with the phase and the reason in words; only where it runs.
import { FeedElement } from "./channel.js";
import { choice } from "./choice.js";
import { t } from "./texts.js";
import { ask, button, card, make, row } from "./ui.js";

// [label, action, whether it needs an object, onto which it puts]
const TASKS = [
  ["Home to its charger", "dock_charger", false, false],
  ["Go to it", "go_to_object", true, false],
  ["Pick it up", "pick_up_cube", false, false],
  ["Put down here", "place_cube", false, false],
  ["Put down on it", "place_cube", true, true],
  ["Roll it upright", "roll_cube", false, false],
  ["Stack it on another", "stack_cubes", false, false],
];

class Manipulation extends FeedElement {
  #current = null;

  render() {
    this.object = choice(t("Cube or charger"), () => this.#update());
    this.object.options = [["", t("the nearest")]];
    this.buttons = TASKS.map((task) => [task, button(t(task[0]), () => this.#do(task), "outline")]);
    this.status = make("span", { role: "status" });
    this.cancel = button(t("Cancel"), () => ask("cancel_goal"), "outline");
    this.cancel.hidden = true;
    const goal = make("div", { class: "cz-goal" }, this.status, this.cancel);
    this.append(card(t("Manipulation"), this.object, row(...this.buttons.map(([, made]) => made)), goal));
    this.hidden = true;
    this.#update();
  }

  feeds() {
    return {
      manipulation: ({ actions, action, phase, attempt }) => {
        this.hidden = actions.length === 0;
        for (const [task, made] of this.buttons) made.hidden = !actions.includes(task[1]);
        const now = this.#current;
        if (now?.[1] === action) this.status.textContent = t("{task}: {phase}, attempt {attempt}", { task: t(now[0]), phase, attempt });
      },
      objects: (objects) => {
        this.object.options = [["", t("the nearest")], ...objects.map(({ name }) => [name, name])];
        this.#update();
      },
    };
  }

  #update() {
    for (const [[, , needsObject], made] of this.buttons) made.disabled = needsObject && !this.object.value;
  }

  async #do(task) {
    const [label, action, , on] = task;
    this.#current = task;
    this.status.textContent = t("{task}: begins", { task: t(label) });
    this.cancel.hidden = false;
    const object = this.object.value;
    const answer = await ask("manipulate", { action, object: action === "place_cube" && !on ? "" : object, on });
    if (this.#current !== task) return;
    this.#current = null;
    this.status.textContent = answer.message || t("It was given up.");
    this.cancel.hidden = true;
  }
}

customElements.define("cozmo-manipulation", Manipulation);
