// A small renderer on WebGL 2: nodes with meshes, lines and points, a sun, one camera. Metres, z up;
// vectors and colours are arrays, matrices of 16 numbers by columns.
const VERTEX = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
uniform mat4 model, camera;
uniform float size;
out vec3 facing;
out vec2 at;
void main() {
  gl_Position = camera * model * vec4(place, 1.0);
  gl_PointSize = size / gl_Position.w;
  facing = mat3(model) * normal;
  at = uv;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec3 facing;
in vec2 at;
uniform vec4 color;
uniform bool isLit, hasTexture;
uniform sampler2D picture;
out vec4 result;
void main() {
  result = hasTexture ? texture(picture, at) : color;
  if (isLit) {
    vec3 n = normalize(gl_FrontFacing ? facing : -facing);
    float sun = max(0.0, dot(n, normalize(vec3(-1.0, -1.5, 3.0))));
    result.rgb *= min(1.0, 0.42 + 0.16 * n.z + 0.5 * sun);
  }
}`;

// -- vectors and matrices

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
export const sub = (a, b) => a.map((part, index) => part - b[index]);
export const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
export const dot = (a, b) => a.reduce((sum, part, index) => sum + part * b[index], 0);
export const unit = (a) => a.map((part) => part / (Math.hypot(...a) || 1));

export function multiply(a, b) {
  const made = new Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let index = 0; index < 4; index++) sum += a[4 * index + row] * b[4 * column + index];
      made[4 * column + row] = sum;
    }
  }
  return made;
}

// A quaternion (x, y, z, w) that turns about an axis, and one of roll, pitch and yaw as in a URDF.
export function aboutAxis(axis, angle) {
  const s = Math.sin(angle / 2);
  return [...unit(axis).map((part) => part * s), Math.cos(angle / 2)];
}

export function ofAngles(roll, pitch, yaw) {
  const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)];
  const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)];
  const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)];
  return [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy];
}

// -- what is drawn

export class Node {
  position = [0, 0, 0];
  turn = [0, 0, 0, 1]; // quaternion
  scale = [1, 1, 1];
  visible = true;
  parent = null;
  children = [];

  add(...nodes) {
    for (const node of nodes) node.parent = this;
    this.children.push(...nodes);
    return this;
  }

  clear() {
    this.children = [];
    return this;
  }

  visit(call) {
    call(this);
    for (const child of this.children) child.visit(call);
  }

  get matrix() {
    const [x, y, z, w] = this.turn;
    const [a, b, c] = this.scale;
    return [
      ...[1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)].map((part) => a * part), 0,
      ...[2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)].map((part) => b * part), 0,
      ...[2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)].map((part) => c * part), 0,
      ...this.position, 1,
    ];
  }
}

// A node with a shape. `look`: color ("#rrggbb"), opacity, isLit, texture (an image or {data, width,
// height}), size of points in m, isOverlay (does not hide what comes after it).
export class Mesh extends Node {
  constructor(shape, look = {}) {
    super();
    this.shape = shape;
    this.look = { color: "#999999", opacity: 1, isLit: true, ...look };
  }
}

export function rgb(color) {
  const text = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join("") : color.slice(1);
  return [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
}

// -- shapes: {mode, places, normals, uvs}; `version` changes when they do

export const lines = (points, mode = "LINE_STRIP") => ({ mode, places: new Float32Array(points.flat()), version: 0 });

export function triangles(corners, normals) {
  return { mode: "TRIANGLES", places: new Float32Array(corners.flat()), normals: new Float32Array(normals.flat()), version: 0 };
}

// Any polygon as triangles of its corners: one ear after the other is cut off.
function ears(corners) {
  const turn = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  const area = corners.reduce((sum, corner, at) => sum + turn([0, 0], corner, corners[(at + 1) % corners.length]), 0);
  const side = (a, b, c) => turn(a, b, c) * area;
  const left = [...corners];
  const around = (at) => [left.at(at - 1), left[at], left[(at + 1) % left.length]];
  const isEar = (at) => {
    const [a, b, c] = around(at);
    const isWithin = (p) => p !== a && p !== b && p !== c && side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0;
    return side(a, b, c) > 0 && !left.some(isWithin);
  };
  const found = [];
  while (left.length > 2) {
    const at = Math.max(0, left.findIndex((_, index) => isEar(index)));
    found.push(around(at));
    left.splice(at, 1);
  }
  return found;
}

// A polygon on the floor, and a prism on it.
export function prism(corners, height = 0) {
  const [places, normals] = [[], []];
  const face = (points) => {
    const normal = unit(cross(sub(points[1], points[0]), sub(points[2], points[0])));
    for (let index = 2; index < points.length; index++) places.push(points[0], points[index - 1], points[index]);
    normals.push(...new Array(3 * (points.length - 2)).fill(normal));
  };
  for (const triangle of ears(corners)) face(triangle.map(([x, y]) => [x, y, height]));
  for (let index = 0; height && index < corners.length; index++) {
    const [[ax, ay], [bx, by]] = [corners[index], corners[(index + 1) % corners.length]];
    face([[ax, ay, 0], [bx, by, 0], [bx, by, height], [ax, ay, height]]);
  }
  return triangles(places, normals);
}

const rectangle = (x, y) => [[-x, -y], [x, -y], [x, y], [-x, y]];

export function box([x, y, z]) {
  const shape = prism(rectangle(x / 2, y / 2), z);
  for (let at = 2; at < shape.places.length; at += 3) shape.places[at] -= z / 2;
  return shape;
}

export function boxEdges([x, y, z]) {
  const corners = [-1, 1].flatMap((up) => rectangle(x / 2, y / 2).map(([a, b]) => [a, b, (up * z) / 2]));
  const pairs = [0, 1, 2, 3].flatMap((at) => [at, (at + 1) % 4, 4 + at, 4 + ((at + 1) % 4), at, 4 + at]);
  return lines(pairs.map((at) => corners[at]), "LINES");
}

const circle = (radius, count) => Array.from({ length: count }, (_, at) => [radius * Math.cos((2 * Math.PI * at) / count), radius * Math.sin((2 * Math.PI * at) / count)]);

// Along z, its middle in the origin.
export function cylinder(radius, length) {
  const shape = prism(circle(radius, 24), length);
  for (let at = 2; at < shape.places.length; at += 3) shape.places[at] -= length / 2;
  return shape;
}

export function ring(inner, outer) {
  const [near, far] = [circle(inner, 40), circle(outer, 40)];
  const places = near.flatMap((_, at) => {
    const next = (at + 1) % 40;
    return [near[at], far[at], far[next], near[at], far[next], near[next]].map(([x, y]) => [x, y, 0]);
  });
  return triangles(places, places.map(() => [0, 0, 1]));
}

// A square of 1 m with a texture, `times` in each direction.
export function square(times = 1) {
  const order = [0, 1, 2, 0, 2, 3];
  const corners = rectangle(0.5, 0.5);
  const shape = triangles(order.map((at) => [...corners[at], 0]), order.map(() => [0, 0, 1]));
  shape.uvs = new Float32Array(order.flatMap((at) => corners[at].map((part) => times * (part + 0.5))));
  return shape;
}

export function stl(buffer) {
  const view = new DataView(buffer);
  const count = view.getUint32(80, true);
  const [places, normals] = [new Float32Array(9 * count), new Float32Array(9 * count)];
  for (let face = 0; face < count; face++) {
    const at = 84 + 50 * face;
    for (let part = 0; part < 9; part++) {
      normals[9 * face + part] = view.getFloat32(at + 4 * (part % 3), true);
      places[9 * face + part] = view.getFloat32(at + 12 + 4 * part, true);
    }
  }
  return { mode: "TRIANGLES", places, normals, version: 0 };
}

// -- the camera, which looks at a target

export class Camera {
  target = [0, 0, 0.03];
  place = [-0.3, -0.22, 0.22];
  aspect = 1;
  view = Math.tan(Math.PI / 8); // of half the height

  // Ahead, right and up of what is seen.
  get axes() {
    const ahead = unit(sub(this.target, this.place));
    const right = unit(cross(ahead, [0, 0, 1]));
    return [ahead, right, cross(right, ahead)];
  }

  get matrix() {
    const [ahead, right, up] = this.axes;
    const [near, far, f] = [0.01, 30, 1 / this.view];
    const looking = [right, up, ahead.map((part) => -part)];
    const turned = [0, 1, 2].flatMap((column) => [...looking.map((axis) => axis[column]), 0]);
    const moved = looking.map((axis) => -dot(axis, this.place));
    const lens = [f / this.aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0];
    return multiply(lens, [...turned, ...moved, 1]);
  }

  // Where the floor is that a place of the canvas shows, -1 to 1 to the right and up; null: nowhere.
  floorAt(x, y) {
    const [ahead, right, up] = this.axes;
    const ray = ahead.map((part, index) => part + this.view * (x * this.aspect * right[index] + y * up[index]));
    if (ray[2] >= 0) return null;
    const distance = -this.place[2] / ray[2];
    return [this.place[0] + distance * ray[0], this.place[1] + distance * ray[1]];
  }
}

// -- drawing

export class Renderer {
  #buffers = new WeakMap(); // shape: {version, array, count}
  #textures = new WeakMap();

  constructor(canvas) {
    const gl = (this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: false }));
    if (!gl) throw new Error("no WebGL");
    this.canvas = canvas;
    this.program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program) ?? "no shader");
    this.at = Object.fromEntries(["model", "camera", "size", "color", "isLit", "hasTexture"].map((name) => [name, gl.getUniformLocation(this.program, name)]));
    gl.useProgram(this.program);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  setSize(width, height) {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.gl.viewport(0, 0, this.canvas.width, this.canvas.height);
  }

  // Solid things first, what is seen through after them.
  draw(root, camera) {
    const { gl, at } = this;
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(at.camera, false, camera.matrix);
    const found = [];
    collect(root, IDENTITY, found);
    const isClear = ({ look }) => look.opacity < 1 || look.isOverlay || Boolean(look.texture);
    for (const wanted of [false, true]) {
      for (const { mesh, model } of found) if (isClear(mesh) === wanted) this.#drawMesh(mesh, model);
    }
  }

  close() {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  #drawMesh({ shape, look }, model) {
    const { gl, at } = this;
    const { array, count } = this.#bufferOf(shape);
    if (!count) return;
    gl.bindVertexArray(array);
    gl.uniformMatrix4fv(at.model, false, model);
    gl.uniform4f(at.color, ...rgb(look.color), look.opacity);
    gl.uniform1f(at.size, (look.size ?? 0.01) * 1.2 * this.canvas.height);
    gl.uniform1i(at.isLit, look.isLit && Boolean(shape.normals) && !look.texture);
    gl.uniform1i(at.hasTexture, Boolean(look.texture));
    if (look.texture) gl.bindTexture(gl.TEXTURE_2D, this.#textureOf(look.texture));
    gl.depthMask(!look.isOverlay);
    gl.drawArrays(gl[shape.mode], 0, count);
    gl.depthMask(true);
  }

  #bufferOf(shape) {
    const { gl } = this;
    let made = this.#buffers.get(shape);
    if (!made) {
      made = { array: gl.createVertexArray(), buffers: [0, 1, 2].map(() => gl.createBuffer()), version: -1 };
      this.#buffers.set(shape, made);
    }
    made.count = shape.count ?? shape.places.length / 3;
    if (made.version === shape.version) return made;
    made.version = shape.version;
    gl.bindVertexArray(made.array);
    [[shape.places, 3], [shape.normals, 3], [shape.uvs, 2]].forEach(([data, size], index) => {
      if (!data) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, made.buffers[index]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, gl.FLOAT, false, 0, 0);
    });
    return made;
  }

  #textureOf(image) {
    const { gl } = this;
    let texture = this.#textures.get(image);
    if (texture) return texture;
    texture = gl.createTexture();
    this.#textures.set(image, texture);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    if (image.data) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, image.width, image.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, image.data);
    else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    if (image.data) for (const filter of ["TEXTURE_MIN_FILTER", "TEXTURE_MAG_FILTER"]) gl.texParameteri(gl.TEXTURE_2D, gl[filter], gl.NEAREST);
    else {
      gl.generateMipmap(gl.TEXTURE_2D);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
      const finer = gl.getExtension("EXT_texture_filter_anisotropic");
      if (finer) gl.texParameterf(gl.TEXTURE_2D, finer.TEXTURE_MAX_ANISOTROPY_EXT, 8);
    }
    return texture;
  }
}

function collect(node, above, found) {
  if (!node.visible) return;
  const model = multiply(above, node.matrix);
  if (node instanceof Mesh && node.shape) found.push({ mesh: node, model });
  for (const child of node.children) collect(child, model, found);
}
