// Reports of checkups: to download, to delete, and images that are left out of them.
import { channel, robotName } from "./channel.js";
import { t } from "./texts.js";
import { ask, askUntil, asking, card, dim, iconButton, make, row } from "./ui.js";

const SEND = "Look at it, then attach the ZIP file to a new issue, template Report of a checkup. It has no serial number, address or name of a network; the images show what was before the camera.";
const pages = new Set();

// Shows what there is now; the newest one unfolded where a checkup has just made it.
export const updateReports = (newest = "") => pages.forEach((update) => update(newest));

export function reports(readOnly) {
  const none = dim(t("There is none yet."));
  const list = make("ul", { class: "cz-list cz-reports" });
  let open = "";
  const update = async (newest) => {
    open = newest || open;
    const { names } = await askUntil(list, "checkup_reports");
    none.hidden = names.length > 0;
    list.replaceChildren(...names.map((name) => report(name, name === open, readOnly, update)));
  };
  pages.add(update);
  update();
  return card(t("Reports"), dim(t(SEND)), none, list);
}

const address = (name, file) => `/checkups/${encodeURIComponent(name)}/${file}?${new URLSearchParams({ robot: robotName })}`;

function report(name, isOpen, readOnly, update) {
  const links = ["report.html", "report.zip"].map((file) => make("a", { href: address(name, file), download: "" }, file));
  const remove = iconButton("delete", t("Delete {name}", { name }), () => ask("delete_checkup", { name }).then(() => update("")));
  const images = make("div", { class: "cz-images" });
  const details = make("details", {}, make("summary", {}, t("Images")), images);
  details.ontoggle = () => details.open && showImages(name, images, readOnly, update);
  details.open = isOpen;
  remove.disabled = readOnly;
  return make("li", {}, make("span", { class: "cz-grow" }, name), ...links, remove, details);
}

async function showImages(name, place, readOnly, update) {
  const { pictures } = await channel.ask("checkup_pictures", { name });
  const shown = Object.entries(pictures ?? {}).map(([picture, caption]) => {
    const leave = asking(t("Leave it out"), "checkup_without", () => ({ name, picture }), "flat");
    leave.addEventListener("answer", () => update(name));
    leave.disabled = readOnly;
    return make("figure", {}, make("img", { src: address(name, picture), alt: caption, loading: "lazy" }), make("figcaption", {}, caption), row(leave));
  });
  place.replaceChildren(...(shown.length ? shown : [dim(t("It has no images."))]));
}
