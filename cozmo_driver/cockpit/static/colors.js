// The design's colours for what is drawn: called at once and whenever light becomes dark.
const NAMES = ["bg", "panel", "line", "text", "dim", "accent", "bad", "warn"];

export function onColors(callback) {
  const update = () => {
    const style = getComputedStyle(document.documentElement);
    callback(Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])));
  };
  const observer = new MutationObserver(update);
  observer.observe(document.documentElement, { attributeFilter: ["class"] });
  update();
  return () => observer.disconnect();
}
