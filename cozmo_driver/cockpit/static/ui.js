// Parts of the page that every tab uses. Texts are texts, never HTML.
import { channel } from "./channel.js";
import { t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const TOAST_MS = 6000;
const MOST_TOASTS = 4;
const AGAIN_MS = 3000;

// An element with attributes and children.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function icon(name) {
  const image = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  image.setAttribute("class", "cz-icon");
  image.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `/cockpit/icons.svg#${name}`);
  image.append(use);
  return image;
}

export function setIcon(image, name) {
  image.firstChild.setAttribute("href", `/cockpit/icons.svg#${name}`);
}

export function iconButton(name, label, onclick) {
  const button = make("button", { type: "button", class: "cz-icon-button", "aria-label": label, title: label }, icon(name));
  button.onclick = onclick;
  return button;
}

// A button; `kind`: "" for what is meant most, "flat" for the rest.
export function button(label, onclick, kind = "") {
  const made = make("button", { type: "button", class: `cz-button ${kind && `cz-${kind}`}` }, label);
  made.onclick = onclick;
  return made;
}

// A switch with its label; `set` shows a value, undefined while none is known; `onchange` gets what
// the user chooses. Where it returns an answer that is no success, what was known is shown again.
export function toggle(label, onchange) {
  let known = false;
  const input = make("input", { type: "checkbox", role: "switch" });
  input.onchange = async () => (await onchange(input.checked))?.success === false && set(known);
  const root = make("label", { class: "cz-switch" }, input, make("span", {}, label));
  const set = (isOn) => {
    known = isOn;
    input.checked = isOn;
    input.disabled = isOn === undefined;
  };
  return { root, set };
}

export function card(title, ...children) {
  return make("section", { class: "cz-card", "aria-label": title }, make("h2", { class: "cz-card-title" }, title), ...children);
}

export const row = (...children) => make("div", { class: "cz-row" }, ...children);
export const dim = (text = "", attributes = {}) => make("p", { class: "cz-dim", ...attributes }, text);

// Buttons of which one is pressed: [value, label, icon].
export function choices(label, options, chosen, onchange) {
  const buttons = options.map(([value, text, iconName]) => {
    const made = make("button", { type: "button", class: "cz-choice" }, ...(iconName ? [icon(iconName)] : []), make("span", {}, text));
    made.onclick = () => {
      root.set(value);
      onchange(value);
    };
    return [value, made];
  });
  const root = make("div", { class: "cz-choices", role: "group", "aria-label": label }, ...buttons.map(([, made]) => made));
  root.set = (chosenNow) => {
    root.value = chosenNow;
    for (const [value, made] of buttons) made.setAttribute("aria-pressed", value === chosenNow);
  };
  root.set(chosen);
  return root;
}

const toasts = make("div", { class: "cz-toasts", role: "status" });
document.body.append(toasts);

export function notify(text, state = "bad") {
  const toast = make("div", { class: "cz-toast", "data-state": state }, make("span", {}, text));
  toast.append(iconButton("close", t("Close"), () => toast.remove()));
  toasts.append(toast);
  while (toasts.childElementCount > MOST_TOASTS) toasts.firstChild.remove();
  setTimeout(() => toast.remove(), TOAST_MS);
}

// Ask the server, and tell the user why it failed.
export async function ask(name, values = {}) {
  const answer = await channel.ask(name, values);
  if (!answer.success && answer.message) notify(answer.message);
  return answer;
}

// Ask until it is answered, also by what is started later; again only while `place` is looked at.
// Why it is not answered is told once, where that stays.
export async function askUntil(place, name, values = {}) {
  let answer = await channel.ask(name, values);
  let told = "";
  while (!answer.success) {
    const { message } = answer;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    if (!place.checkVisibility() || document.hidden || !channel.isHeard) continue;
    answer = await channel.ask(name, values);
    if (!answer.success && answer.message === message && message !== told) notify((told = message));
  }
  return answer;
}

// A button that is out of use while what it asks for goes on.
export function asking(label, name, values = () => ({}), kind = "") {
  const made = button(
    label,
    async () => {
      made.disabled = true;
      const answer = await ask(name, values());
      made.disabled = false;
      made.dispatchEvent(new CustomEvent("answer", { detail: answer }));
    },
    kind,
  );
  return made;
}

export function download(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
