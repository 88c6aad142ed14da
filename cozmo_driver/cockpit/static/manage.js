// The tab Manage: the link, who the robot is, its cubes, its storage, recordings, parameters, log.
import { channel } from "./channel.js";
import { language, nextLanguage, t } from "./texts.js";
import { ask, asking, button, card, dim, download, icon, iconButton, make, notify, row } from "./ui.js";
import "./log.js";
import "./parameters.js";

const PERIOD_MS = 1000;
const ADVICE = "Nothing comes from the driver: start it with make run, or in the launch file.";
const STORAGE = "What the app has kept in the robot: skills, unlocked games, known faces, needs, cubes. The command cozmo nv backup makes a file for cozmo nv restore instead.";
const RECORDINGS = "All topics of the robot as an MCAP file, which Foxglove and ros2 bag open; pictures as the robot sends them. At most 1 GB each, 4 GB together.";

export function build(panel) {
  const columns = [
    [connection(), thisPage(), card(t("Robot"), make("cozmo-facts", { feed: "info" })), cubes(), storage()],
    [card(t("Parameters"), make("cozmo-parameters"))],
    [recordings(panel), card(t("Events"), make("cozmo-log", { feed: "events", label: t("Events of the robot") }))],
  ];
  panel.append(
    make("div", { class: "cz-manage" }, ...columns.map((cards) => make("div", {}, ...cards))),
    card(t("Log"), make("cozmo-log", { feed: "log", "with-level": "", label: t("Log of the robot's nodes") })),
  );
}

function connection() {
  const state = make("p", { class: "cz-state", role: "status" }, t("driver not heard"));
  const advice = dim(t(ADVICE));
  const [connect, disconnect] = [asking(t("Connect"), "connect"), asking(t("Disconnect"), "disconnect")];
  const calibrate = asking(t("Calibrate head and lift"), "calibrate", undefined, "flat");
  calibrate.addEventListener("answer", ({ detail }) => detail.success && notify(detail.message, "good"));
  for (const made of [connect, disconnect, calibrate]) made.hidden = true;
  channel.on("connection", (it) => {
    state.textContent = t(it.text);
    advice.textContent = t(it.message);
    connect.hidden = it.is_wanted !== false;
    disconnect.hidden = !it.is_wanted;
    calibrate.hidden = !it.is_connected;
  });
  return card(t("Connection"), state, advice, row(connect, disconnect, calibrate));
}

// A code that a telephone's camera opens, made when it is asked for: its link is good for one telephone.
function thisPage() {
  const place = make("div", { class: "cz-qr" });
  const show = async () => {
    const { url, message } = await channel.ask("phone_link");
    if (!url) {
      place.replaceChildren(dim(t(message)));
      return;
    }
    const { qrCode } = await import("./qr.js");
    place.replaceChildren(drawn(qrCode(url)), make("a", { href: url }, url.split("?")[0]));
  };
  const languages = iconButton("translate", t("Language: {language}", { language }), nextLanguage);
  const code = button(t("Show the code for a telephone"), show, "outline");
  return card(t("This page"), place, row(code, languages, make("cozmo-theme")));
}

function drawn(rows) {
  const [scale, margin] = [6, 4];
  const size = (rows.length + 2 * margin) * scale;
  const canvas = make("canvas", { width: size, height: size, role: "img", "aria-label": t("Code for a telephone's camera") });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, size, size);
  context.fillStyle = "#000";
  rows.forEach((row, y) => row.forEach((isDark, x) => isDark && context.fillRect((x + margin) * scale, (y + margin) * scale, scale, scale)));
  return canvas;
}

function cubes() {
  const list = make("ul", { class: "cz-list" });
  const none = dim(t("No cube has been heard."), { role: "status" });
  channel.on("cubes", (found) => {
    none.hidden = found.length > 0;
    list.replaceChildren(
      ...found.map(({ name, is_connected: isConnected, is_moving: isMoving, battery }) => {
        const level = battery === null ? t("battery not known") : `${Math.round(100 * battery)} %`;
        const isLow = isConnected && battery !== null && battery < 0.2;
        const chip = make("span", { class: "cz-chip", "data-state": isLow ? "bad" : "" }, icon("battery_full"), isConnected ? level : t("last {level}", { level }));
        const state = t(!isConnected ? "not connected" : isMoving ? "moves" : "connected");
        return make("li", {}, make("span", { class: "cz-grow" }, name, make("small", {}, state)), chip);
      }),
    );
  });
  return card(t("Cubes"), none, list);
}

function storage() {
  const progress = dim("", { role: "status" });
  const get = asking(t("Download"), "storage");
  channel.on("progress", (text) => get.disabled && (progress.textContent = text));
  get.addEventListener("answer", ({ detail: { success, message, name, data } }) => {
    progress.textContent = success ? message : t("it cannot be read");
    if (data) download(name, new Blob([Uint8Array.from(atob(data), (part) => part.charCodeAt(0))]));
  });
  return card(t("Storage"), dim(t(STORAGE)), row(get, progress));
}

// Every page of the cockpit has the same ones.
function recordings(panel) {
  const state = dim("", { role: "status" });
  const list = make("ul", { class: "cz-list" });
  const start = asking(t("Record"), "record", () => ({ on: true }));
  const stop = asking(t("Stop"), "record", () => ({ on: false }), "bad");
  stop.setAttribute("aria-label", t("Stop the recording"));
  let shown = "";
  const update = async () => {
    const { files, now, message } = await channel.ask("recordings");
    if (!files) return;
    if (message) notify(message, "warn");
    start.hidden = now !== null;
    stop.hidden = now === null;
    state.textContent = now ? t("{size}, {topics} topics", { size: megabytes(now.size), topics: now.topics }) : "";
    if (now?.dropped) state.textContent += t(", {dropped} messages dropped: the disk is too slow", now);
    if (JSON.stringify(files) === shown) return;
    shown = JSON.stringify(files);
    list.replaceChildren(...files.map((file) => fileRow(file, update)));
  };
  for (const made of [start, stop]) made.addEventListener("answer", update);
  setInterval(() => panel.isConnected && !document.hidden && channel.isHeard && update(), PERIOD_MS);
  update();
  return card(t("Recordings"), dim(t(RECORDINGS)), row(start, stop, state), list);
}

function fileRow({ name, size }, update) {
  const link = make("a", { class: "cz-grow", href: `/recordings/${encodeURIComponent(name)}`, download: name }, name);
  const remove = iconButton("delete", t("Delete {name}", { name }), () => ask("delete_recording", { name }).then(update));
  return make("li", {}, link, dim(megabytes(size)), remove);
}

const megabytes = (size) => `${(size / 1e6).toFixed(1)} MB`;
