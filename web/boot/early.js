// Runs before the first paint, before everything that could fail.

// A chosen theme must never flash in the other one. "light" and "dark" are choices; anything else
// means: as the system says.
try {
  const choice = localStorage.getItem("gatewright.theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  // Storage can be switched off; the system's theme is right then.
}

// Scripts that don't load say so on the page, which would stay a skeleton otherwise.
addEventListener(
  "error",
  (event) => {
    const note = document.getElementById("start-failed");
    if (note && event.target instanceof HTMLScriptElement) note.hidden = false;
  },
  true,
);
