// The scene: layers in 3D; without WebGL the floor from above. A tap sends the robot there.
import { channel } from "./channel.js";
import { onColors } from "./colors.js";
import { drawRobot, fillPolygon, FloorMap, inverse, rectangle } from "./map.js";
import { point } from "./pointing.js";
import { t } from "./texts.js";
import { iconButton, make, notify } from "./ui.js";

class Scene extends HTMLElement {
  #ends = [];
  #starts = 0;

  connectedCallback() {
    if (!this.hasChildNodes()) this.#render();
    this.#start();
  }

  disconnectedCallback() {
    this.#end();
    this.place.replaceChildren();
  }

  #end() {
    this.view = null;
    for (const end of this.#ends.splice(0)) end();
  }

  #render() {
    this.place = make("div", { class: "cz-scene-place" });
    this.tools = make("div", { class: "cz-tools", role: "toolbar", "aria-label": t("Scene") });
    this.append(this.place, this.tools);
  }

  // The tab may be left, and opened again, while the view is loaded: the newest start counts.
  async #start() {
    const number = ++this.#starts;
    this.tools.replaceChildren();
    const has3D = document.createElement("canvas").getContext("webgl2") !== null;
    const module = has3D ? await import("./view3d.js").catch(() => null) : { View: TopView };
    if (number !== this.#starts || !this.isConnected) return;
    if (!module) {
      notify(t("This tab was not loaded: open it again."));
      return;
    }
    const view = this.#makeView(module.View);
    this.view = view;
    view.onPoint = (place, isLook) => point(place, isLook);
    this.tools.append(...view.tools().map(toolButton));
    for (const [feed, callback] of view.feeds()) this.#ends.push(channel.on(feed, callback));
    this.#ends.push(onColors((colors) => view.useColors(colors)), () => view.close());
  }

  #makeView(View) {
    try {
      const view = new View(this.place);
      view.onLost = () => this.#onLost(view);
      return view;
    } catch (error) {
      console.info("the scene from above instead:", error.message);
      return new TopView(this.place);
    }
  }

  // In a frame: there is none before the page is looked at again.
  #onLost(view) {
    requestAnimationFrame(() => {
      if (this.view !== view) return; // it was closed
      this.#end();
      this.#start();
    });
  }
}

function toolButton({ iconName, label, press, isOn }) {
  const show = () => isOn && button.setAttribute("aria-pressed", isOn());
  const button = iconButton(iconName, label, () => {
    press();
    show();
  });
  show();
  return button;
}

// What a browser without WebGL shows.
class TopView {
  #pose = { x: 0, y: 0, yaw: 0 };
  #goal = null;
  #trail = [];
  #tags = [];
  #place = null;
  #colors = {};
  onPoint = () => {};

  constructor(place) {
    this.map = new FloorMap(t("The floor around the robot, from above. Tap to send it there."));
    this.map.draw = (context, map) => this.#draw(context, map);
    this.map.onClick = ([x, y]) => this.onPoint({ x, y }, false);
    const text = t("This browser shows no 3D (WebGL is off): from above instead.");
    place.replaceChildren(this.map.canvas, make("p", { class: "cz-note" }, text));
  }

  tools() {
    const center = () => {
      this.map.center = [this.#pose.x, this.#pose.y];
      this.map.redraw();
    };
    return [{ iconName: "my_location", label: t("Show the robot"), press: center }];
  }

  useColors(colors) {
    this.#colors = colors;
    this.map.redraw();
  }

  feeds() {
    return [
      ["odom", (pose) => this.#onOdom(pose)],
      ["goal", (goal) => {
        this.#goal = goal;
        this.map.redraw();
      }],
      ["landmarks", (tags) => (this.#tags = tags)],
      ["whereabouts", (place) => (this.#place = place)],
    ];
  }

  #onOdom(pose) {
    this.#pose = pose;
    this.#trail.push([pose.x, pose.y]);
    if (this.#trail.length > 2000) this.#trail.shift();
    this.map.redraw();
  }

  #draw(context, { scale, center }) {
    context.lineWidth = 1 / scale;
    context.strokeStyle = this.#colors.line;
    context.beginPath();
    for (let at = -2; at <= 2; at += 0.1) {
      const [x, y] = [Math.round(10 * center[0]) / 10 + at, Math.round(10 * center[1]) / 10 + at];
      context.moveTo(x, center[1] - 2);
      context.lineTo(x, center[1] + 2);
      context.moveTo(center[0] - 2, y);
      context.lineTo(center[0] + 2, y);
    }
    context.stroke();
    context.lineWidth = 2 / scale;
    context.strokeStyle = this.#colors.accent;
    context.beginPath();
    for (const [x, y] of this.#trail) context.lineTo(x, y);
    context.stroke();
    if (this.#goal) {
      context.strokeStyle = this.#colors.warn;
      context.beginPath();
      context.arc(this.#goal.x, this.#goal.y, 0.02, 0, 7);
      context.moveTo(this.#pose.x, this.#pose.y);
      context.lineTo(this.#goal.x, this.#goal.y);
      context.stroke();
    }
    if (this.#place?.odom) this.#drawMap(context, this.#place);
    drawRobot(context, this.#pose, 0.052, 0.036, this.#colors);
  }

  // The tags where the robot knows the map to be, and how well it does.
  #drawMap(context, { odom, ellipse: [x, y, angle, along, across] }) {
    const [atX, atY, yaw] = inverse(odom);
    context.save();
    context.translate(atX, atY);
    context.rotate(yaw);
    for (const { place, turn, size, is_doubted: isDoubted } of this.#tags) {
      const pose = { x: place[0], y: place[1], yaw: 2 * Math.atan2(turn[2], turn[3]) };
      const color = isDoubted ? this.#colors.bad : this.#colors.text;
      fillPolygon(context, rectangle(pose, size / 2, size / 2, 0.004), color);
    }
    context.restore();
    context.strokeStyle = this.#colors.accent;
    context.beginPath();
    context.ellipse(x, y, Math.max(along, 0.004), Math.max(across, 0.004), angle, 0, 7);
    context.stroke();
  }

  close() {}
}

customElements.define("cozmo-scene", Scene);
