// Dark or light before anything is painted: `auto`, `light` or `dark`, kept by the browser.
"use strict";
{
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const theme = localStorage.getItem("cozmo-theme") ?? "auto";
    document.documentElement.classList.toggle("dark", theme === "dark" || (theme === "auto" && isDark.matches));
  };
  isDark.addEventListener("change", apply);
  addEventListener("cozmo-theme", apply);
  apply();
}
