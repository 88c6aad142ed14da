// Where the robot is on the map of landmarks, in words, and a look around; only where something localizes.
import { FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { ask, button, card, make } from "./ui.js";

const WORDS = {
  lost: () => t("Lost: let it see tags of the map, or look around."),
  "several places fit": () => t("It sees tags, and several places fit: let it look around."),
  known: (exactness) => t("Known within {exactness}.", { exactness }),
  "known by odometry": (exactness) => t("By odometry only, within {exactness}: no tag was seen lately.", { exactness }),
};

class Whereabouts extends FeedElement {
  #isLooking = false;

  render() {
    this.words = make("p", { class: "cz-place" });
    this.doubts = make("p", { class: "cz-advice" });
    this.look = button(t("Look around"), () => this.#look(), "outline");
    this.status = make("span", { role: "status" });
    this.append(card(t("Place on the map"), this.words, this.doubts, make("div", { class: "cz-goal" }, this.status, this.look)));
    this.hidden = true;
  }

  feeds() {
    return {
      whereabouts: ({ status, position, yaw, doubts }) => {
        this.hidden = false;
        const exactness = `${Math.round(1000 * position)} mm, ${((180 * yaw) / Math.PI).toFixed(1)}°`;
        const words = WORDS[status]?.(exactness) ?? status;
        if (this.words.textContent !== words) this.words.textContent = words;
        this.words.dataset.state = status.startsWith("known") ? "ok" : "warn";
        this.doubts.textContent = doubts.join("; ");
        this.doubts.hidden = doubts.length === 0;
      },
    };
  }

  async #look() {
    if (this.#isLooking) {
      ask("cancel_goal");
      return;
    }
    this.#isLooking = true;
    this.look.textContent = t("Cancel");
    this.status.textContent = t("It looks around.");
    const answer = await ask("look_around");
    this.#isLooking = false;
    this.look.textContent = t("Look around");
    this.status.textContent = answer.success ? "" : answer.message;
  }
}

customElements.define("cozmo-whereabouts", Whereabouts);
