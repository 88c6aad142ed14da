// The frame of the page: header, tabs, what is always there. A tab is a module that exports `build`,
// called with its panel when it is opened for the first time.
import { channel, robotName } from "./channel.js";
import { language, nextLanguage, t } from "./texts.js";
import { ask, button, icon, iconButton, make, notify } from "./ui.js";
import { belongsToControl } from "./stop.js";
import "./strip.js";
import * as drive from "./drive.js";

const TABS = [
  ["drive", "Drive", "sports_esports", async () => drive],
  ["see", "See", "travel_explore", () => import("./see.js")],
  ["express", "Express", "mood", () => import("./express.js")],
  ["live", "Live", "favorite", () => import("./live.js")],
  ["checkup", "Checkup", "playlist_add_check", () => import("./checkup.js")],
  ["manage", "Manage", "tune", () => import("./manage.js")],
];
const STOPPED = t("Emergency stop. The robot does not move until it is released.");
const CARRIED = t("The robot was carried and waits. Release lets it drive.");

class Tabs {
  #built = new Set();
  #panels = new Map();
  #buttons = new Map();

  constructor() {
    this.nav = make("nav", { class: "cz-nav", role: "tablist", "aria-label": t("Tabs") });
    this.main = make("main", { class: "cz-main" });
    for (const [name, title, iconName] of TABS) {
      const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, icon(iconName), t(title));
      tab.onclick = () => this.open(name);
      tab.onkeydown = (event) => this.#onKey(event, name);
      const panel = make("section", { class: "cz-panel", role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: -1 });
      this.#buttons.set(name, tab);
      this.#panels.set(name, panel);
      this.nav.append(tab);
    }
  }

  // The panel of the open tab only: elements of the others show no feeds.
  async open(name) {
    for (const [other, tab] of this.#buttons) {
      tab.setAttribute("aria-selected", other === name);
      tab.tabIndex = other === name ? 0 : -1;
    }
    this.main.replaceChildren(this.#panels.get(name));
    // A page that is loaded again shows the same tab.
    history.replaceState(null, "", `?${new URLSearchParams({ robot: robotName, tab: name })}`);
    if (this.#built.has(name)) return;
    this.#built.add(name);
    const load = TABS.find(([one]) => one === name)[3];
    const module = await load().catch(() => notify(t("This tab was not loaded: open it again.")));
    if (module) module.build(this.#panels.get(name), await channel.hello);
    else this.#built.delete(name);
  }

  #onKey(event, name) {
    const names = TABS.map(([one]) => one);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !belongsToControl(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = names[(names.indexOf(name) + step + names.length) % names.length];
    this.open(next);
    this.#buttons.get(next).focus();
  }
}

function releaseBanner() {
  const reason = make("span");
  const release = button(t("Release"), () => ask("release_stop"), "plain");
  const banner = make("div", { class: "cz-alert", role: "alert" }, reason, release);
  banner.hidden = true;
  channel.on("hello", ({ read_only: readOnly }) => (release.hidden = readOnly));
  channel.on("status", ({ is_stopped: isStopped, is_held: isHeld }) => {
    reason.textContent = isStopped ? STOPPED : isHeld ? CARRIED : "";
    banner.hidden = !isStopped && !isHeld;
  });
  return banner;
}

function robotMenu(header) {
  channel.on("hello", async ({ robots, has_logout: hasLogout }) => {
    const menu = header.querySelector(".cz-robots");
    menu.replaceChildren();
    if (robots.length > 1) {
      const { choice } = await import("./choice.js");
      const chosen = choice(t("Robot"), (robot) => location.assign(`/?${new URLSearchParams({ robot })}`));
      menu.append(chosen);
      chosen.options = robots.map((name) => [name, `/${name}`]);
      chosen.value = robotName;
    }
    if (hasLogout && !header.querySelector("form")) {
      const logout = make("button", { class: "cz-icon-button", "aria-label": t("Log out"), title: t("Log out") }, icon("logout"));
      header.append(make("form", { method: "post", action: `/logout?${new URLSearchParams({ robot: robotName })}` }, logout));
    }
  });
}

const name = new URLSearchParams(location.search).get("tab");
const tabs = new Tabs();
const header = make(
  "header",
  { class: "cz-header" },
  make("h1", { class: "cz-brand" }, "Cozmo"),
  make("div", { class: "cz-robots" }),
  make("cozmo-strip"),
  make("cozmo-wheel"),
  iconButton("translate", t("Language: {language}", { language }), nextLanguage),
  make("cozmo-theme"),
);
const alerts = make("div", { class: "cz-alerts" }, make("p", { class: "cz-alert cz-stop-error", role: "alert" }), releaseBanner());
document.body.prepend(make("div", { class: "cz-app" }, header, tabs.nav, tabs.main, alerts, make("cozmo-stop")));
robotMenu(header);
tabs.open(TABS.some(([one]) => one === name) ? name : "drive");
