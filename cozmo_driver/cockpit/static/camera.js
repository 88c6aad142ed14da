// The robot's pictures as they come, with their age; snapshot, video, full screen, a look ahead.
import { channel, FeedElement } from "./channel.js";
import { leaveFullScreen } from "./stop.js";
import { t } from "./texts.js";
import { button, download, icon, iconButton, make, notify } from "./ui.js";

const WIDTH = 320;
const HEIGHT = 240;
const LATE_S = 0.5;
const LOW_HEAD = -0.1; // rad; from there on the picture shows floor and lift
const AHEAD = { head: 0.1, lift: 0.032 }; // rad, m

class Camera extends FeedElement {
  static period = 250;

  render() {
    this.canvas = make("canvas", { width: WIDTH, height: HEIGHT, role: "img", "aria-label": t("Camera") });
    this.age = make("span", { class: "cz-age" });
    this.empty = make("div", { class: "cz-empty" }, icon("videocam_off"), make("span", {}, t("No picture yet")));
    this.append(this.canvas, this.age, this.empty);
    if (this.hasAttribute("tools")) this.append(this.#makeTools());
  }

  feeds() {
    const feeds = { camera: (age, blob) => this.#draw(age, blob) };
    if (this.ahead) feeds.joints = ({ head }) => (this.ahead.hidden = channel.readOnly || head > LOW_HEAD);
    return feeds;
  }

  #makeTools() {
    this.ahead = button(t("Look ahead"), () => channel.send("move", AHEAD));
    this.ahead.classList.add("cz-ahead");
    this.ahead.hidden = true;
    this.video = iconButton("fiber_manual_record", t("Record a video"), () => this.#record());
    this.video.setAttribute("aria-pressed", false);
    const snapshot = iconButton("photo_camera", t("Take a photo"), () => this.canvas.toBlob((blob) => download(nameOf("png"), blob)));
    const full = iconButton("fullscreen", t("Full screen"), () => this.#fill());
    return make("div", { class: "cz-camera-tools", role: "toolbar", "aria-label": t("Camera") }, this.ahead, snapshot, this.video, full);
  }

  // The whole page, so that STOP stays in sight.
  #fill() {
    if (document.fullscreenElement) leaveFullScreen();
    else document.documentElement.requestFullscreen?.().catch((error) => notify(error.message));
  }

  #record() {
    if (this.recorder?.state === "recording") {
      this.recorder.stop();
      return;
    }
    if (!window.MediaRecorder) {
      notify(t("This browser records no video."));
      return;
    }
    const pieces = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(15));
    this.recorder.ondataavailable = ({ data }) => pieces.push(data);
    this.recorder.onstop = () => {
      this.video.setAttribute("aria-pressed", false);
      const type = this.recorder.mimeType;
      download(nameOf(type.includes("mp4") ? "mp4" : "webm"), new Blob(pieces, { type }));
    };
    this.recorder.start(1000);
    this.video.setAttribute("aria-pressed", true);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (this.recorder?.state === "recording") this.recorder.stop();
  }

  async #draw(age, blob) {
    const received = performance.now();
    const picture = await createImageBitmap(blob);
    this.canvas.getContext("2d").drawImage(picture, 0, 0, WIDTH, HEIGHT);
    picture.close();
    this.empty.hidden = true;
    this.taken = received - 1000 * age;
    this.drawn = performance.now();
    this.pictureAge = (this.drawn - this.taken) / 1000;
    this.dispatchEvent(new CustomEvent("picture", { detail: this.pictureAge }));
  }

  tick() {
    if (this.taken === undefined) return;
    // Of the picture when it was drawn; of one that stays, how long it is ago.
    const now = performance.now();
    const age = now - this.drawn > 1000 * LATE_S ? (now - this.taken) / 1000 : this.pictureAge;
    this.age.textContent = age < 1 ? `${Math.round(1000 * age)} ms` : t("{age} s ago", { age: age.toFixed(1) });
    this.age.dataset.state = age > LATE_S ? "bad" : "";
  }
}

const nameOf = (kind) => `cozmo-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}.${kind}`;

customElements.define("cozmo-camera", Camera);
