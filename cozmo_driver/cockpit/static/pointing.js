// A tap on the floor, in the scene or in the picture: drive there, or look there.
import { channel, FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { ask, choices, make } from "./ui.js";
import "./camera.js";

const MODES = { drive: ["near_me", "Drive there"], look: ["visibility", "Look there"] };
const GOALS = { drive: "Driving to the mark", look: "Looking at the mark" };
let mode = "drive";

// Go where was tapped: `place` is {x, y} in m of the odometry, or {u, v} of a picture.
export function point(place, isLook) {
  if (!channel.readOnly) ask("point", { kind: isLook ? "look" : mode, ...place });
}

// What a tap means, what the robot is after, and a way to point without a pointer.
class Pointing extends FeedElement {
  render() {
    const modes = Object.entries(MODES).map(([name, [iconName, label]]) => [name, t(label), iconName]);
    const choice = choices(t("A tap on the floor means"), modes, mode, (name) => (mode = name));
    this.text = make("span", { role: "status" });
    this.cancel = make("button", { type: "button", class: "cz-button" }, t("Cancel"));
    this.cancel.onclick = () => ask("cancel_goal");
    this.goal = make("div", { class: "cz-goal" }, this.text, this.cancel);
    this.append(choice, this.#numbers(), this.goal);
    this.goal.hidden = true;
  }

  feeds() {
    return {
      goal: (goal) => {
        this.goal.hidden = goal === null;
        this.text.textContent = goal === null ? "" : `${t(GOALS[goal.kind])} (${goal.x.toFixed(2)}, ${goal.y.toFixed(2)})`;
      },
      odom: (pose) => (this.pose = pose),
    };
  }

  // For those without a mouse: centimetres ahead and left of the robot.
  #numbers() {
    const [ahead, left] = ["ahead", "left"].map((name) => make("input", { type: "number", step: 5, min: -300, max: 300, value: name === "left" ? 0 : 20, "aria-label": t(`Centimetres ${name}`) }));
    const go = make("button", { class: "cz-button" }, t("Go"));
    const form = make("form", {}, ahead, t("cm ahead"), left, t("cm left"), go);
    form.onsubmit = (event) => {
      event.preventDefault();
      if (!this.pose || !ahead.value || !left.value) return;
      const [c, s] = [Math.cos(this.pose.yaw), Math.sin(this.pose.yaw)];
      const [x, y] = [ahead.valueAsNumber / 100, left.valueAsNumber / 100];
      point({ x: this.pose.x + c * x - s * y, y: this.pose.y + s * x + c * y }, false);
    };
    return make("details", { class: "cz-numbers" }, make("summary", {}, t("By numbers")), form);
  }
}

// The picture, to be tapped.
class Eye extends FeedElement {
  render() {
    const camera = make("cozmo-camera");
    this.append(camera, make("cozmo-overlay"));
    this.onclick = (event) => {
      const box = camera.getBoundingClientRect();
      const u = ((event.clientX - box.left) / box.width) * 320;
      const v = ((event.clientY - box.top) / box.height) * 240;
      if (u >= 0 && v >= 0 && u < 320 && v < 240) point({ u, v }, event.shiftKey);
    };
  }

  // Not shown: the server needs them to know what a pixel shows; by `info`, whose camera it is.
  feeds() {
    return { camera_info: () => {}, info: () => {}, joints: () => {}, odom: () => {} };
  }
}

customElements.define("cozmo-pointing", Pointing);
customElements.define("cozmo-eye", Eye);
