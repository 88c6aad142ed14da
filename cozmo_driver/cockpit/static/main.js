// Every module of the page. A module defines custom elements; what they show comes by the channel.
import "./strip.js";
import "./stop.js";
import "./camera.js";
import "./drive.js";
import "./face.js";
import "./clips.js";
import "./live.js";
import "./scene.js";
import "./pointing.js";
import "./detections.js";
import "./health.js";
import "./plots.js";
import "./world.js";
import "./manage.js";
import "./parameters.js";
