// Waits until a page with an editor or a form is ready for its screenshot.

export const formReady = (page) => page.locator(".form-top").waitFor();
export const documentReady = (page) => page.locator(".editor-card .cm-line").first().waitFor();
