// When a page with an editor or a form can be looked at.

export const formReady = (page) => page.locator(".form-top").waitFor();
export const documentReady = (page) => page.locator(".editor-card .cm-line").first().waitFor();
