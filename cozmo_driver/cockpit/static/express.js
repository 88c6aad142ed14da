// The tab Express: the face, clips, voice and sound, lights.
import { pageId } from "./channel.js";
import { t } from "./texts.js";
import { ask, askUntil, asking, button, card, make, notify, row } from "./ui.js";
import { backpackCard, cubeCard } from "./lights.js";
import "./clips.js";
import "./face.js";

const MOST_SOUND_BYTES = 10_000_000;

export function build(panel) {
  const cards = [faceCard(), drawCard(), clipsCard(), voiceCard(), backpackCard(), cubeCard()];
  panel.append(make("div", { class: "cz-cards" }, ...cards));
}

function faceCard() {
  const faces = make("div", { class: "cz-faces", role: "group", "aria-label": t("Expressions") });
  askUntil(faces, "expressions").then(({ names }) => {
    faces.append(
      ...names.map((name) => {
        const picture = make("img", { src: `/faces/${name}.png`, alt: "", width: 128, height: 64 });
        const made = make("button", { type: "button" }, picture, make("span", {}, name.replaceAll("_", " ")));
        made.onclick = () => ask("express", { name });
        return made;
      }),
    );
  });
  return card(t("Face"), make("cozmo-face"), faces);
}

function drawCard() {
  return card(t("Draw"), make("cozmo-board"), asking(t("Give the face back"), "give_back", undefined, "flat"));
}

function clipsCard() {
  const clips = make("cozmo-clips");
  askUntil(clips, "animations").then((answer) => (clips.names = answer));
  return card(t("Clips"), clips);
}

function voiceCard() {
  const text = make("input", { class: "cz-search", placeholder: t("Say"), "aria-label": t("Say"), maxlength: 1000 });
  const form = make("form", { class: "cz-row" }, text, make("button", { class: "cz-button" }, t("Say")));
  form.onsubmit = (event) => {
    event.preventDefault();
    if (text.value.trim()) ask("say", { text: text.value.trim() });
  };
  const stop = button(t("Stop the sound"), () => ask("stop_sound"), "flat");
  return card(t("Voice and sound"), form, volume(), soundFile(), stop);
}

function volume() {
  const range = make("input", { type: "range", min: 0, max: 100, step: 5, value: 100, "aria-label": t("Volume") });
  const value = make("output", {}, "100 %");
  const show = () => (value.textContent = `${range.value} %`);
  range.oninput = show;
  const load = async () => {
    const answer = await askUntil(range, "parameter", { node: "cozmo_driver", name: "volume" });
    range.value = Math.round(100 * answer.value);
    show();
  };
  range.onchange = async () => (await ask("volume", { volume: range.value / 100 })).success || load();
  load();
  return make("label", { class: "cz-slider" }, make("span", {}, t("Volume")), range, value);
}

function soundFile() {
  const input = make("input", { type: "file", accept: ".wav,.flac,.ogg", class: "cz-hidden", tabindex: -1, "aria-hidden": true });
  const preview = make("audio", { controls: "", "aria-label": t("Listen here") });
  preview.hidden = true;
  input.onchange = () => {
    const [file] = input.files;
    if (file) {
      URL.revokeObjectURL(preview.src);
      preview.src = URL.createObjectURL(file);
      preview.hidden = false;
      play(file);
    }
    input.value = ""; // the same one can be chosen again
  };
  const choose = button(t("Play a sound file (WAV, FLAC, OGG)"), () => input.click(), "outline");

  async function play(file) {
    if (file.size > MOST_SOUND_BYTES) {
      notify(t("{name}: a sound has 10 MB at most", { name: file.name }));
      return;
    }
    const query = new URLSearchParams({ page: pageId, name: file.name });
    try {
      const answer = await (await fetch(`/sound?${query}`, { method: "POST", body: file })).json();
      if (!answer.success && answer.message) notify(t(answer.message));
    } catch (error) {
      notify(`${file.name}: ${error.message}`);
    }
  }
  return row(input, choose, preview);
}
