// How the robot is, who drives, dark or light: in the header of every tab.
import { channel, FeedElement, icon, make } from "./channel.js";

class Strip extends FeedElement {
  render() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-label", "Robot");
    this.link = chip("wifi");
    this.battery = chip("battery_full");
    this.posture = chip("info");
    this.append(this.link.root, this.battery.root, this.posture.root);
    this.#showLink();
    this.battery.set("battery_unknown", "–");
    this.posture.set("info", "", "hidden");
  }

  feeds() {
    return {
      open: () => this.#showLink(),
      connection: (it) => {
        this.connection = it;
        this.#showLink();
      },
      battery: (it) => {
        const level = it.level === null ? "" : `${Math.round(100 * it.level)} %`;
        const name = it.is_charging ? "battery_charging_full" : "battery_full";
        const isLow = it.level !== null && it.level < 0.15;
        this.battery.set(name, level || `${it.voltage.toFixed(2)} V`, isLow ? "bad" : "");
        this.battery.root.title = `Battery: ${it.voltage.toFixed(2)} V`;
      },
      status: (it) => this.posture.set("info", it.notice, it.notice ? "warn" : "hidden"),
    };
  }

  #showLink() {
    const it = this.connection;
    if (!channel.isHeard) this.link.set("cloud_off", "not connected", "bad");
    else if (it) this.link.set(it.is_connected ? "wifi" : "wifi_off", it.text, it.is_connected ? "" : "bad");
    else this.link.set("wifi_find", "driver not heard", "bad");
    this.link.root.title = channel.isHeard ? (it?.message ?? "") : "The cockpit does not answer";
  }
}

function chip(name) {
  const text = make("span");
  const image = icon(name);
  const root = make("span", { class: "cz-chip" }, image, text);
  return {
    root,
    set(iconName, value, state = "") {
      image.textContent = iconName;
      text.textContent = value;
      root.dataset.state = state;
    },
  };
}

class Wheel extends FeedElement {
  render() {
    this.text = make("span", { role: "status" });
    this.button = make("button", { class: "cz-button", type: "button" }, "Take over");
    this.button.onclick = () => channel.send("wheel", "take");
    this.append(icon("sports_esports"), this.text, this.button);
  }

  feeds() {
    return {
      wheel: ({ holder, name }) => {
        const isMine = holder === "you";
        this.dataset.state = isMine ? "mine" : holder ? "other" : "free";
        this.text.textContent = isMine ? "You drive" : holder ? `${name} drives` : "Nobody drives";
        this.title = this.text.textContent;
        this.button.hidden = !holder || isMine || channel.readOnly;
      },
    };
  }
}

const THEMES = { auto: "brightness_auto", light: "light_mode", dark: "dark_mode" };

class Theme extends HTMLElement {
  connectedCallback() {
    this.button = make("button", { class: "cz-icon-button", type: "button" });
    this.replaceChildren(this.button);
    this.button.onclick = () => {
      const names = Object.keys(THEMES);
      this.set(names[(names.indexOf(this.theme) + 1) % names.length]);
    };
    this.set(localStorage.getItem("cozmo-theme") ?? "auto");
  }

  set(theme) {
    this.theme = theme in THEMES ? theme : "auto";
    localStorage.setItem("cozmo-theme", this.theme);
    this.button.replaceChildren(icon(THEMES[this.theme]));
    this.button.setAttribute("aria-label", `Colours: ${this.theme}`);
    this.button.title = `Colours: ${this.theme}`;
    Quasar.Dark.set({ auto: "auto", light: false, dark: true }[this.theme]);
  }
}

customElements.define("cozmo-strip", Strip);
customElements.define("cozmo-wheel", Wheel);
customElements.define("cozmo-theme", Theme);
