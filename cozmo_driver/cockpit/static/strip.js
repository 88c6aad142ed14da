// How the robot is, who drives, dark or light: in the header of every tab.
import { channel, FeedElement } from "./channel.js";
import { t } from "./texts.js";
import { icon, make, setIcon } from "./ui.js";

class Strip extends FeedElement {
  render() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-label", t("Robot"));
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
        this.power = it;
        this.#showBattery();
      },
      status: (it) => {
        this.notice = it.notice;
        this.#showPosture();
      },
    };
  }

  get #isOld() {
    return !channel.isHeard || !this.connection?.is_connected;
  }

  // The last that is known, and that it is old: it may have been charged since.
  #showBattery() {
    const it = this.power;
    if (!it) return;
    const volts = `${it.voltage.toFixed(2)} V`;
    const level = it.level === null ? volts : `${Math.round(100 * it.level)} %`;
    const isLow = it.level !== null && it.level < 0.15;
    if (this.#isOld) this.battery.set("battery_unknown", t("last {level}", { level }), "old");
    else this.battery.set(it.is_charging ? "battery_charging_full" : "battery_full", level, isLow ? "bad" : "");
    this.battery.root.title = this.#isOld ? t("Battery when it was connected: {volts}", { volts }) : t("Battery: {volts}", { volts });
  }

  #showPosture() {
    const text = this.#isOld ? "" : this.notice;
    this.posture.set("info", text ? t(text) : "", text ? "warn" : "hidden");
  }

  #showLink() {
    const it = this.connection;
    if (!channel.isHeard) this.link.set("cloud_off", t("not connected"), "bad");
    else if (it) this.link.set(it.is_connected ? "wifi" : "wifi_off", t(it.text), it.is_connected ? "" : "bad");
    else this.link.set("wifi_find", t("driver not heard"), "bad");
    this.link.root.title = channel.isHeard ? t(it?.message ?? "") : t("The cockpit does not answer");
    this.#showBattery();
    this.#showPosture();
  }
}

function chip(name) {
  const text = make("span");
  const image = icon(name);
  const root = make("span", { class: "cz-chip" }, image, text);
  return {
    root,
    set(iconName, value, state = "") {
      setIcon(image, iconName);
      text.textContent = value;
      root.dataset.state = state;
    },
  };
}

class Wheel extends FeedElement {
  render() {
    this.text = make("span", { role: "status" });
    this.button = make("button", { class: "cz-button", type: "button" }, t("Take over"));
    this.button.onclick = () => channel.send("wheel", "take");
    this.append(icon("sports_esports"), this.text, this.button);
  }

  feeds() {
    return {
      wheel: ({ holder, name }) => {
        const isMine = holder === "you";
        this.dataset.state = isMine ? "mine" : holder ? "other" : "free";
        this.text.textContent = isMine ? t("You drive") : holder ? t("{name} drives", { name: name.replace(/^(this )?(phone|computer)\b/, (device) => t(device)) }) : t("Nobody drives");
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
    const label = t("Colours: {theme}", { theme: t(this.theme) });
    this.button.replaceChildren(icon(THEMES[this.theme]));
    this.button.setAttribute("aria-label", label);
    this.button.title = label;
    dispatchEvent(new Event("cozmo-theme"));
  }
}

customElements.define("cozmo-strip", Strip);
customElements.define("cozmo-wheel", Wheel);
customElements.define("cozmo-theme", Theme);
