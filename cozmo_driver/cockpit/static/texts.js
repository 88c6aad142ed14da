// What the page says, in the browser's language. English stands in the code; texts.LANGUAGE.json has
// it in others, and what is missing there stays English.
const LANGUAGES = ["en", "de", "fr"];
const wanted = localStorage.getItem("cozmo-language") ?? navigator.language.slice(0, 2);
export const language = LANGUAGES.includes(wanted) ? wanted : "en";
const texts = language === "en" ? {} : await load();

async function load() {
  try {
    return await (await fetch(`/cockpit/texts.${language}.json`)).json();
  } catch {
    return {};
  }
}

document.documentElement.lang = language;

// `{name}` in a text is replaced by a value of that name.
export function t(text, values = {}) {
  return (texts[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function nextLanguage() {
  localStorage.setItem("cozmo-language", LANGUAGES[(LANGUAGES.indexOf(language) + 1) % LANGUAGES.length]);
  location.reload();
}
