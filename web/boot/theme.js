// Runs before the first paint, so that a chosen theme never flashes in the other one.
// "light" and "dark" are choices; anything else means: as the system says.
const KEY = 'gatewright.theme';
try {
  const choice = localStorage.getItem(KEY);
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice;
} catch {
  // Storage can be switched off; the system's theme is right then.
}
