// Styles that are loaded along with scripts on demand.

/** Adds a style sheet and waits until it is loaded; if that fails, the page is usable without it. */
export function style(url) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  const done = new Promise((resolve) => (link.onload = link.onerror = resolve));
  link.href = url;
  document.head.append(link);
  return done;
}
