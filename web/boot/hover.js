// Text that its element cuts off is shown in full while the pointer is over it.

addEventListener("pointerover", ({ target }) => {
  const { textOverflow, webkitLineClamp } = getComputedStyle(target);
  const text = target.textContent.trim();
  // Some have a hover text that says more.
  if ((textOverflow === "clip" && webkitLineClamp === "none") || (target.title || text) !== text) return;
  target.title = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight ? text : "";
});
