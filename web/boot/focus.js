// Keeps the focus where the hand is. When an element with the focus is replaced, because what it belongs to was loaded
// again, its successor gets the focus: the same kind of element with the same name, as near as possible. After a dialog
// that is the element it was opened from; if that is gone as well, such as the row of a deleted document, it is the
// heading of the page. Otherwise the focus would be at the very beginning of the document, or, after a dialog, at its end.

/** What has the focus, or had it last. */
let hand;
/** What had the focus before a dialog. */
const openers = new WeakMap();

const name = (element) => element.getAttribute("aria-label") ?? (element.textContent.trim() || element.id);

function ancestors(element) {
  const found = [];
  for (let above = element.parentElement; above; above = above.parentElement) found.push(above);
  return found;
}

/** The dialog that an element was in, or undefined. */
const left = (one) => one?.above.find((above) => openers.has(above));

addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  const dialog = target.closest("dialog");
  if (dialog && hand && !openers.has(dialog)) openers.set(dialog, hand);
  // The browser has returned it to where a dialog was opened.
  const returned = openers.get(left(hand))?.element === target;
  hand = { element: target, name: name(target), above: ancestors(target), path: location.pathname, returned };
});

/** Whatever is pressed after the focus was lost decides where it goes. */
for (const act of ["pointerdown", "keydown"]) addEventListener(act, () => document.activeElement === document.body && (hand = undefined), { capture: true });

new MutationObserver(() => {
  if (!hand || hand.element.isConnected || document.activeElement !== document.body) return;
  // On another page, the frame moves the focus.
  if (hand.path !== location.pathname) return void (hand = undefined);
  const dialog = left(hand);
  const closed = dialog && !dialog.isConnected;
  const next = successor(closed ? openers.get(dialog) : hand) ?? ((closed || hand.returned) && document.querySelector("dialog[open], main h1"));
  // Until there is one: what is loaded again may be a placeholder first.
  if (next) next.focus({ preventScroll: true });
}).observe(document, { childList: true, subtree: true });

function successor({ element, name: called, above }) {
  if (element.isConnected) return element;
  for (const around of above) {
    if (!around.isConnected) continue;
    const alike = [...around.querySelectorAll(element.localName)].find((one) => name(one) === called && !one.disabled);
    if (alike) return alike;
  }
}
