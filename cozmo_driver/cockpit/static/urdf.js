// A robot of three.js from its URDF: links, joints that turn, meshes of this server.
import { STLLoader, THREE } from "nicegui-scene";

const MESH = /^package:\/\/cozmo_description\/meshes\/(\w+\.stl)$/;
const PLASTIC = { roughness: 0.55, metalness: 0.05 };
const geometries = new Map(); // name of a mesh: promise of its geometry
const numbers = (text, fallback = "0 0 0") => (text ?? fallback).trim().split(/\s+/).map(Number);

// A mesh of cozmo_description in one colour, there as soon as it is loaded.
export function stlMesh(file, color, onLoad) {
  if (!geometries.has(file)) geometries.set(file, new STLLoader().loadAsync(`/meshes/${file}`));
  const mesh = new THREE.Mesh(undefined, new THREE.MeshStandardMaterial({ color, ...PLASTIC }));
  geometries.get(file).then(
    (geometry) => {
      mesh.geometry = geometry;
      onLoad();
    },
    () => geometries.delete(file),
  );
  return mesh;
}

function place(object, origin) {
  if (!origin) return object;
  object.position.set(...numbers(origin.getAttribute("xyz")));
  const [roll, pitch, yaw] = numbers(origin.getAttribute("rpy"));
  object.rotation.set(roll, pitch, yaw, "ZYX");
  return object;
}

function shape(geometry, color, onLoad) {
  const made = geometry.firstElementChild;
  const material = new THREE.MeshStandardMaterial({ color, ...PLASTIC });
  const value = (name) => numbers(made.getAttribute(name));
  switch (made.tagName) {
    case "mesh": {
      const file = MESH.exec(made.getAttribute("filename"))?.[1];
      return file ? stlMesh(file, color, onLoad) : null;
    }
    case "box":
      return new THREE.Mesh(new THREE.BoxGeometry(...value("size")), material);
    case "cylinder": {
      const [radius] = value("radius");
      const cylinder = new THREE.CylinderGeometry(radius, radius, value("length")[0], 24);
      return new THREE.Mesh(cylinder.rotateX(Math.PI / 2), material);
    }
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
    const [r, g, b] = numbers(rgba.getAttribute("rgba"));
    colors.set(material.getAttribute("name"), new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace));
  }
  const links = new Map();
  for (const link of children(xml, "link")) {
    const group = new THREE.Group();
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
    const holder = place(new THREE.Group(), first(joint, "origin"));
    end("parent").add(holder);
    holder.add(end("child"));
    if (joint.getAttribute("type") === "fixed") continue;
    const axis = new THREE.Vector3(...numbers(first(joint, "axis")?.getAttribute("xyz"), "1 0 0"));
    const mimic = first(joint, "mimic");
    const name = mimic?.getAttribute("joint") ?? joint.getAttribute("name");
    const factor = Number(mimic?.getAttribute("multiplier") ?? 1);
    turned.set(name, [...(turned.get(name) ?? []), { child: end("child"), axis, factor }]);
  }
  const root = [...links.values()].find((link) => !link.parent) ?? new THREE.Group();
  return {
    root,
    turn(joint, angle) {
      for (const { child, axis, factor } of turned.get(joint) ?? []) {
        child.quaternion.setFromAxisAngle(axis, factor * angle);
      }
    },
  };
}
