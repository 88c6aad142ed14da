// A robot from its URDF: links, joints that turn, meshes of this server.
import { aboutAxis, box, cylinder, Mesh, Node, ofAngles, stl } from "./gl.js";

const MESH = /^package:\/\/cozmo_description\/meshes\/(\w+\.stl)$/;
const geometries = new Map(); // name of a mesh: promise of its geometry
const numbers = (text, fallback = "0 0 0") => (text ?? fallback).trim().split(/\s+/).map(Number);

// A mesh of cozmo_description in one colour, there as soon as it is loaded.
export function stlMesh(file, color, onLoad) {
  if (!geometries.has(file)) geometries.set(file, load(file));
  const mesh = new Mesh(null, { color });
  geometries.get(file).then(
    (shape) => {
      mesh.shape = shape;
      onLoad();
    },
    () => geometries.delete(file),
  );
  return mesh;
}

async function load(file) {
  const answer = await fetch(`/meshes/${file}`);
  if (!answer.ok) throw new Error(`no mesh ${file}`);
  return stl(await answer.arrayBuffer());
}

function place(object, origin) {
  if (!origin) return object;
  object.position = numbers(origin.getAttribute("xyz"));
  object.turn = ofAngles(...numbers(origin.getAttribute("rpy")));
  return object;
}

function shape(geometry, color, onLoad) {
  const made = geometry.firstElementChild;
  const value = (name) => numbers(made.getAttribute(name));
  switch (made.tagName) {
    case "mesh": {
      const file = MESH.exec(made.getAttribute("filename"))?.[1];
      return file ? stlMesh(file, color, onLoad) : null;
    }
    case "box":
      return new Mesh(box(value("size")), { color });
    case "cylinder":
      return new Mesh(cylinder(value("radius")[0], value("length")[0]), { color });
    default:
      return null;
  }
}

// Returns the root link and `turn(joint, angle)`; joints that mimic another one turn with it.
export function buildRobot(text, onLoad) {
  const xml = new DOMParser().parseFromString(text, "text/xml").documentElement;
  const children = (element, name) => [...element.children].filter((child) => child.tagName === name);
  const first = (element, name) => children(element, name)[0];
  const colors = new Map();
  for (const material of xml.querySelectorAll("material")) {
    const [rgba] = children(material, "color");
    if (!rgba) continue;
    const parts = numbers(rgba.getAttribute("rgba")).slice(0, 3);
    const hex = parts.map((part) => Math.round(255 * part).toString(16).padStart(2, "0")).join("");
    colors.set(material.getAttribute("name"), `#${hex}`);
  }
  const links = new Map();
  for (const link of children(xml, "link")) {
    const group = new Node();
    links.set(link.getAttribute("name"), group);
    for (const visual of children(link, "visual")) {
      const color = colors.get(first(visual, "material")?.getAttribute("name")) ?? "#999999";
      const drawn = shape(first(visual, "geometry"), color, onLoad);
      if (drawn) group.add(place(drawn, first(visual, "origin")));
    }
  }
  const turned = new Map(); // joint: what turns with it, by which factor, about which axis
  for (const joint of children(xml, "joint")) {
    const end = (name) => links.get(first(joint, name).getAttribute("link"));
    const holder = place(new Node(), first(joint, "origin"));
    end("parent").add(holder);
    holder.add(end("child"));
    if (joint.getAttribute("type") === "fixed") continue;
    const axis = numbers(first(joint, "axis")?.getAttribute("xyz"), "1 0 0");
    const mimic = first(joint, "mimic");
    const name = mimic?.getAttribute("joint") ?? joint.getAttribute("name");
    const factor = Number(mimic?.getAttribute("multiplier") ?? 1);
    turned.set(name, [...(turned.get(name) ?? []), { child: end("child"), axis, factor }]);
  }
  const root = [...links.values()].find((link) => !link.parent) ?? new Node();
  return {
    root,
    turn(joint, angle) {
      for (const { child, axis, factor } of turned.get(joint) ?? []) {
        child.turn = aboutAxis(axis, factor * angle);
      }
    },
  };
}
