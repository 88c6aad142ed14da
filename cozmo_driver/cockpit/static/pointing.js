// A tap on the floor, in the scene or in the picture: drive there, or look there.
import { channel, FeedElement, icon, make } from "./channel.js";

const MODES = { drive: ["near_me", "Drive there"], look: ["visibility", "Look there"] };
const GOALS = { drive: "Driving to the mark", look: "Looking at the mark" };
let mode = "drive";

// Tell the tab what was tapped: `place` is {x, y} in m of the odometry, or {u, v} of a picture.
export function point(element, place, isLook) {
  if (channel.readOnly) return;
  const detail = { kind: isLook ? "look" : mode, ...place };
  element.dispatchEvent(new CustomEvent("point", { bubbles: true, detail }));
}

// What a tap means, what the robot is after, and a way to point without a pointer.
class Pointing extends FeedElement {
  render() {
    this.buttons = Object.entries(MODES).map(([name, [iconName, label]]) => {
      const button = make("button", { type: "button", class: "cz-choice" }, icon(iconName), label);
      button.onclick = () => this.#choose(name);
      button.dataset.mode = name;
      return button;
    });
    const choice = make("div", { class: "cz-choices", role: "group", "aria-label": "A tap on the floor means" }, ...this.buttons);
    this.text = make("span", { role: "status" });
    this.cancel = make("button", { type: "button", class: "cz-button" }, "Cancel");
    this.cancel.onclick = () => this.dispatchEvent(new CustomEvent("cancel-goal", { bubbles: true }));
    this.goal = make("div", { class: "cz-goal" }, this.text, this.cancel);
    this.append(choice, this.#numbers(), this.goal);
    this.#choose(mode);
    this.goal.hidden = true;
  }

  feeds() {
    return {
      goal: (goal) => {
        this.goal.hidden = goal === null;
        this.text.textContent = goal === null ? "" : `${GOALS[goal.kind]} (${goal.x.toFixed(2)}, ${goal.y.toFixed(2)})`;
      },
      odom: (pose) => (this.pose = pose),
    };
  }

  #choose(name) {
    mode = name;
    for (const button of this.buttons) button.setAttribute("aria-pressed", button.dataset.mode === name);
  }

  // For those without a mouse: centimetres ahead and left of the robot.
  #numbers() {
    const [ahead, left] = ["ahead", "left"].map((name) => make("input", { type: "number", step: 5, min: -300, max: 300, value: name === "left" ? 0 : 20, "aria-label": `Centimetres ${name}` }));
    const go = make("button", { class: "cz-button" }, "Go");
    const form = make("form", {}, ahead, "cm ahead", left, "cm left", go);
    form.onsubmit = (event) => {
      event.preventDefault();
      if (!this.pose || !ahead.value || !left.value) return;
      const [c, s] = [Math.cos(this.pose.yaw), Math.sin(this.pose.yaw)];
      const [x, y] = [ahead.valueAsNumber / 100, left.valueAsNumber / 100];
      point(this, { x: this.pose.x + c * x - s * y, y: this.pose.y + s * x + c * y }, false);
    };
    return make("details", { class: "cz-numbers" }, make("summary", {}, "By numbers"), form);
  }
}

// The picture, to be tapped.
class Eye extends FeedElement {
  render() {
    const camera = make("cozmo-camera", { feed: "camera" });
    this.append(camera, make("cozmo-overlay"));
    this.onclick = (event) => {
      const box = camera.getBoundingClientRect();
      const u = ((event.clientX - box.left) / box.width) * 320;
      const v = ((event.clientY - box.top) / box.height) * 240;
      if (u >= 0 && v >= 0 && u < 320 && v < 240) point(this, { u, v }, event.shiftKey);
    };
  }

  // Not shown: the server needs them to know what a pixel shows.
  feeds() {
    return { camera_info: () => {}, joints: () => {}, odom: () => {} };
  }
}

customElements.define("cozmo-pointing", Pointing);
customElements.define("cozmo-eye", Eye);
