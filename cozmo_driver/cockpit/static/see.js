// The tab See: the scene, the picture to point in, how the robot is, curves.
import { t } from "./texts.js";
import { choices, make } from "./ui.js";
import "./detections.js";
import "./health.js";
import "./keys.js";
import "./manipulation.js";
import "./plots.js";
import "./pointing.js";
import "./scene.js";
import "./whereabouts.js";

export function build(panel, { read_only: readOnly, has_world: hasWorld }) {
  const scene = make("cozmo-scene");
  const main = make("div", { class: "cz-see-main" }, scene);
  const side = make("section", { class: "cz-see-side", "aria-label": t("Picture and state") }, make("cozmo-eye"));
  if (!readOnly) side.append(make("cozmo-pointing", { class: "cz-controls" }), make("cozmo-manipulation"), make("cozmo-whereabouts"), make("cozmo-keys"));
  side.append(make("cozmo-health", { class: "cz-controls" }), make("cozmo-plots"));
  if (hasWorld) addWorld(main, scene);
  panel.append(make("div", { class: "cz-see" }, main, side));
}

// The emulator's world, in the place of the scene when it is chosen.
async function addWorld(main, scene) {
  const options = [["scene", t("Scene")], ["world", t("Emulator's world")]];
  const shown = choices(t("What is shown"), options, "scene", async (chosen) => {
    await import("./world.js");
    const world = main.querySelector("cozmo-world") ?? make("cozmo-world");
    if (chosen === "world") scene.replaceWith(world);
    else world.replaceWith(scene);
  });
  main.prepend(shown);
}
