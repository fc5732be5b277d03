// Styles that come with what is loaded later.

/** Adds a style sheet and waits for it; without it a page can still be used. */
export function style(url) {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  const done = new Promise((resolve) => (link.onload = link.onerror = resolve));
  link.href = url;
  document.head.append(link);
  return done;
}
