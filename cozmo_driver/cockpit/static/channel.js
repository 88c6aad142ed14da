// The page's WebSocket: feeds from the robot, velocities to it.
import { onColors } from "./colors.js";
import { t } from "./texts.js";

const UNKNOWN_ROBOT = 4404;
const LOGGED_OUT = "log in";
const RETRY_MS = 500;
// The server is heard every 250 ms. Ticks are counted, not times: a busy browser delays both.
const TICK_MS = 250;
const LOST_TICKS = 6;
const RECONNECT_TICKS = 16; // longer than Wi-Fi stalls: what is on its way still arrives
const PATIENCE_MS = 3000;
const LOST = { success: false, message: t("the connection was lost: try again") };
const HEADER = 5;
const UNASKED = new Set(["open", "hello", "wheel", "goal", "checkup", "stopped", "progress"]); // feeds that come without being shown
const ANSWER = "answer ";

export const robotName = document.querySelector('meta[name="cozmo-robot"]')?.content ?? "";
// Only this page knows it.
export const pageId = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

class Channel {
  #socket = null;
  #listeners = new Map(); // feed: set of callbacks
  #last = new Map();
  #silence = 0;
  #asked = new Map(); // number: what takes the answer
  #waiting = new Map(); // number: a request that is sent with the next connection
  #isGreeted = false;
  #number = 0;
  #greet = null;
  hello = new Promise((resolve) => (this.#greet = resolve)); // what the server says first
  readOnly = false;
  isHeard = true;

  constructor() {
    this.#connect();
    setInterval(() => this.#tick(), TICK_MS);
    document.addEventListener("visibilitychange", () => this.#show());
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  // Call back with every value of a feed; a picture's are (age in s, Blob), and what the callback
  // returns is awaited before the next one is asked for. Returns a function that ends it.
  on(feed, callback) {
    const callbacks = this.#listeners.get(feed) ?? new Set();
    this.#listeners.set(feed, callbacks.add(callback));
    if (this.#last.has(feed)) callback(this.#last.get(feed));
    if (callbacks.size === 1) this.#show();
    return () => {
      callbacks.delete(callback);
      if (callbacks.size === 0) {
        this.#listeners.delete(feed);
        if (!UNASKED.has(feed)) this.#last.delete(feed);
        this.#show();
      }
    };
  }

  send(kind, value) {
    if (this.isOpen) this.#socket.send(JSON.stringify({ [kind]: value }));
  }

  // Ask for one of the requests that the server knows. Its answer has `success`, `message`, values.
  // Without a connection it waits a moment for one, not longer: the world has changed by then.
  ask(name, values = {}) {
    const number = ++this.#number;
    return new Promise((resolve) => {
      this.#asked.set(number, resolve);
      if (this.isOpen && this.#isGreeted) {
        this.send("ask", [number, name, values]);
        return;
      }
      this.#waiting.set(number, [number, name, values]);
      setTimeout(() => this.#waiting.delete(number) && this.#onAnswer(number, LOST), PATIENCE_MS);
    });
  }

  // Requests that the server does not know of were lost with the former connection.
  #onHello({ read_only: readOnly, asked }) {
    this.readOnly = readOnly;
    this.#isGreeted = true;
    for (const number of [...this.#asked.keys()]) {
      if (!asked.includes(number) && !this.#waiting.has(number)) this.#onAnswer(number, LOST);
    }
    for (const request of this.#waiting.values()) this.send("ask", request);
    this.#waiting.clear();
  }

  // What the server says is English.
  #onAnswer(number, answer) {
    this.#asked.get(number)?.({ ...answer, message: t(answer.message) });
    this.#asked.delete(number);
  }

  #show() {
    this.send("show", document.hidden ? [] : [...this.#listeners.keys()]);
  }

  #connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/channel?${new URLSearchParams({ robot: robotName, page: pageId })}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#show();
    socket.onmessage = (event) => socket === this.#socket && this.#onMessage(event.data);
    socket.onclose = (event) => {
      if (socket !== this.#socket) return;
      this.#hear(false);
      if (event.code === UNKNOWN_ROBOT || event.reason === LOGGED_OUT) location.reload();
      else setTimeout(() => socket === this.#socket && this.#connect(), RETRY_MS);
    };
    this.#socket = socket;
    this.#isGreeted = false;
    this.#silence = 0;
  }

  // A network that freezes closes nothing.
  #tick() {
    this.#silence += 1;
    if (this.#silence === LOST_TICKS) this.#hear(false);
    if (this.#silence < RECONNECT_TICKS) return;
    const old = this.#socket;
    this.#connect();
    old.close();
  }

  #hear(isHeard) {
    if (this.isHeard === isHeard && this.#last.has("open")) return;
    this.isHeard = isHeard;
    this.#emit("open", isHeard);
  }

  async #onMessage(data) {
    this.#silence = 0;
    this.#hear(true);
    if (typeof data !== "string") {
      await this.#onPicture(data);
      return;
    }
    const values = JSON.parse(data);
    for (const [feed, value] of Object.entries(values)) this.#emit(feed, value);
    if (!("hello" in values)) this.send("ack", "text");
  }

  async #onPicture(buffer) {
    const view = new DataView(buffer);
    const end = HEADER + view.getUint8(0);
    const feed = new TextDecoder().decode(new Uint8Array(buffer, HEADER, end - HEADER));
    const blob = new Blob([new Uint8Array(buffer, end)]);
    const callbacks = [...(this.#listeners.get(feed) ?? [])];
    await Promise.allSettled(callbacks.map((call) => call(view.getFloat32(1, true), blob)));
    this.send("ack", feed);
  }

  #emit(feed, value) {
    if (feed.startsWith(ANSWER)) {
      this.#onAnswer(Number(feed.slice(ANSWER.length)), value);
      return;
    }
    if (feed === "hello") {
      this.#onHello(value);
      this.#greet(value);
    }
    this.#last.set(feed, value);
    for (const callback of this.#listeners.get(feed) ?? []) {
      try {
        callback(value);
      } catch (error) {
        reportError(error); // one part that fails holds up neither the others nor what comes next
      }
    }
  }
}

export const channel = new Channel();

// Of a feed that keeps its last values, numbered: those that have not come before.
export function newOnly() {
  let last = 0;
  return (values) => {
    const found = values.filter(({ id }) => id > last);
    last = values.at(-1)?.id ?? last;
    return found;
  };
}

// An element that lives on feeds: `feeds()` returns {feed: callback}, used while it is in the page.
// One that draws has `useColors(colors)`, called with the design's.
export class FeedElement extends HTMLElement {
  static period = 0; // ms between two ticks, if there are any
  #ends = [];

  connectedCallback() {
    if (!this.hasChildNodes()) this.render();
    const feeds = Object.entries(this.feeds());
    this.#ends = feeds.map(([feed, callback]) => channel.on(feed, callback));
    if (this.useColors) this.#ends.push(onColors((colors) => this.useColors(colors)));
    if (!this.constructor.period) return;
    const timer = setInterval(() => this.tick(), this.constructor.period);
    this.#ends.push(() => clearInterval(timer));
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
  }

  render() {}

  tick() {}

  feeds() {
    return {};
  }
}
