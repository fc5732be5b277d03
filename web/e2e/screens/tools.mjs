// Pages for trying, importing and searching.

const DOCUMENT = `openapi: 3.0.3
info:
  title: Museum tickets
  description: Opening hours, events and tickets.
  version: 1.1.1
servers:
  - url: https://api.museum.example/v1
    description: live
  - url: https://staging.museum.example/v1
    description: staging
security:
  - MuseumKey: []
paths:
  /museum-hours:
    get:
      operationId: getMuseumHours
      responses:
        "200":
          description: Opening hours
          content:
            application/json:
              example: [{ date: 2026-11-20, timeOpen: "09:00" }]
  /tickets:
    post:
      operationId: buyTickets
      responses:
        "201": { description: Created }
components:
  securitySchemes:
    MuseumKey: { type: apiKey, in: header, name: X-Museum-Key }
  schemas:
    Ticket: { type: object }
webhooks: {}
`;

/** Pastes a document into the import. */
async function openapi(page, text) {
  await page.locator(".import-document json-editor").waitFor();
  await page.locator(".import-document json-editor .cm-content").click();
  await page.keyboard.insertText(text);
}

/** Names and addresses, and what to do before the screenshot is taken. */
export const tools = () => ({
  batch: {
    path: "/batch?api=orders",
    ready: async (page) => {
      await page.getByRole("button", { name: "Add a request" }).click();
      await page.getByRole("textbox", { name: "Relative URL of request 2" }).fill("503");
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("heading", { name: "2 answers" }).waitFor();
    },
  },
  "try-find": { path: "/try", ready: (page) => page.getByRole("option").first().waitFor() },
  try: {
    path: "/try/orders",
    ready: async (page) => {
      await page.getByRole("button", { name: "Add a header" }).click();
      await page.getByLabel("Header name").fill("Accept");
      await page.getByLabel("Header value").fill("application/json");
      for (const path of ["/v1/orders?state=open", "/503"]) {
        await page.getByLabel("Path below the listen path").fill(path);
        await page.getByRole("button", { name: "Send" }).click();
        await page.locator(".trace").getByText(path === "/503" ? "503," : "200,").waitFor();
      }
      await page.locator(".try-history").getByText("200").click();
      await page.locator(".trace").getByText("200,").waitFor();
    },
  },
  "try-refused": {
    path: "/try/billing",
    ready: async (page) => {
      await page.getByRole("switch", { name: /Use the stored definition/ }).check();
      await page.locator(".pill", { hasText: "Stored key" }).click();
      await page.getByRole("option", { name: /Partner portal/ }).click();
      await page.getByRole("button", { name: "Send" }).click();
      await page.locator(".trace > li", { hasText: "Refused" }).filter({ hasText: "organisation" }).waitFor();
    },
  },
  import: { path: "/import", ready: (page) => page.locator("json-editor").waitFor() },
  "import-preview": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, DOCUMENT);
      await page.getByRole("switch", { name: /^Answer with the examples/ }).check();
      await page.locator(".import-result json-editor .cm-line").first().waitFor();
    },
  },
  "import-classic": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, DOCUMENT);
      await page.getByRole("radio", { name: "Classic definition" }).check();
      await page.getByRole("region", { name: "Report" }).waitFor();
    },
  },
  "import-refused": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, "openapi: 3.0.3\ninfo:\n  title: Two: colons\n");
      await page.locator(".import-troubles .problem").first().waitFor();
    },
  },
  "import-merge": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, DOCUMENT);
      await page.getByRole("radio", { name: "Classic definition" }).check();
      await page.getByRole("switch", { name: /^Answer with the examples/ }).check();
      await page.getByRole("button", { name: "Merge into an API…" }).click();
      await page.getByRole("combobox", { name: "Find an API to merge into" }).fill("orders");
      await page.getByRole("option", { name: /Orders/ }).first().click();
      await page.getByRole("dialog").locator(".diff").waitFor();
    },
  },
  palette: {
    path: "/apis",
    ready: async (page) => {
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Find anything, or say what to do" }).fill("or");
      await page.getByRole("option", { name: /^Orders/ }).waitFor();
    },
  },
});
