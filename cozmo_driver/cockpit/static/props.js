// Light cubes and the charger as they look, from the meshes of the description.
import { Node } from "./gl.js";
import { stlMesh } from "./urdf.js";

const [WHITE, BLACK] = ["#f4f4f2", "#101012"];

export function cubeModel(number, redraw) {
  const corners = { cube_top_corners: BLACK, cube_bottom_corners: BLACK };
  const faces = { cube_stickers: WHITE, [`cube_marker_${number}`]: BLACK };
  return model({ cube_body: "#dbe3e8", ...faces, ...corners }, redraw);
}

// Its origin is the entrance's lip on the floor, x inwards.
export function chargerModel(redraw) {
  const sign = { charger_marker_plate: "#303236", charger_sticker: WHITE, charger_marker: BLACK };
  return model({ charger_base: WHITE, charger_tongue: "#303236", charger_contacts: "#cca64c", ...sign }, redraw);
}

function model(colors, redraw) {
  const group = new Node();
  for (const [name, color] of Object.entries(colors)) group.add(stlMesh(`${name}.stl`, color, redraw));
  return group;
}
