// Lights of the backpack and the cubes, with the browser's own colour picker.
import { channel } from "./channel.js";
import { choice } from "./choice.js";
import { t } from "./texts.js";
import { ask, button, card, choices, dim, make, notify, row, toggle } from "./ui.js";

const FIRST = "#35d0e6";
const PATTERNS = [["steady", "Steady"], ["blink", "Blink"], ["breathe", "Breathe"]];

export function backpackCard() {
  const lights = makeLights(["Front", "Middle", "Rear", "Left", "Right"].map((name) => t(name)));
  return card(
    t("Backpack lights"),
    ...lights.parts,
    dim(t("The lights on the sides show red only.")),
    row(
      button(t("Show"), () => ask("backpack_lights", lights.values())),
      button(t("Back to the robot's own"), () => ask("backpack_lights"), "flat"),
    ),
  );
}

export function cubeCard() {
  const cube = choice(t("Cube"));
  const lights = makeLights(["1", "2", "3", "4"]);
  let turns = false;
  const run = toggle(t("Run around"), (isOn) => (turns = isOn));
  const show = (values) => {
    if (cube.value) ask("cube_lights", { ...values, cube: Number(cube.value) });
    else notify(t("no cube is connected"), "warn");
  };
  const made = card(
    t("Cube lights"),
    cube,
    ...lights.parts,
    run.root,
    row(
      button(t("Show"), () => show({ ...lights.values(), turns })),
      button(t("Back to the robot's own"), () => show({}), "flat"),
    ),
  );
  channel.on("cubes", (cubes) => {
    cube.options = cubes.filter((one) => one.is_connected).map((one) => [String(one.id), one.name]);
    cube.value ||= cubes.length ? String(cubes.find((one) => one.is_connected)?.id ?? "") : "";
  });
  return made;
}

function makeLights(names) {
  const pickers = [t("All"), ...names].map((name) => {
    const input = make("input", { type: "color", value: FIRST });
    return { input, root: make("label", { class: "cz-color" }, input, make("span", {}, name)) };
  });
  const [everything, ...each] = pickers;
  everything.input.oninput = () => each.forEach(({ input }) => (input.value = everything.input.value));
  const pattern = choices(t("Pattern"), PATTERNS.map(([value, text]) => [value, t(text)]), "steady", () => {});
  return {
    parts: [make("div", { class: "cz-colors" }, ...pickers.map(({ root }) => root)), pattern],
    values: () => ({ colors: each.map(({ input }) => input.value), pattern: pattern.value }),
  };
}
