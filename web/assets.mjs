// Builds the console's files; run by `cargo xtask build`.
//
//     node web/assets.mjs MODULES FILES
//
// MODULES has `<name>.js` and `<name>_bg.wasm` of each WebAssembly module, FILES is an empty folder. Bundles the
// styles, the boot scripts and the custom elements with esbuild, writes everything under names that contain a hash of
// the contents, and then the page that refers to these names. Nothing is left inline, so the page runs under
// `script-src 'self' 'wasm-unsafe-eval'; style-src 'self'`.
import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { shortened } from "./imports.mjs";

const [compiled, files] = process.argv.slice(2);
if (!files) throw new Error("usage: node web/assets.mjs MODULES FILES");
const source = fileURLToPath(new URL("..", import.meta.url));
/** The path under which the worker serves the folder. */
const PUBLIC = "/console/";

/** Bundles one entry point and returns its text. `define` replaces identifiers by values. */
async function bundle(entry, options = {}) {
  const result = await build({
    entryPoints: [join(source, entry)],
    bundle: true,
    write: false,
    minify: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles[0].text;
}

/** Writes `name-<hash>.<extension>` and returns its URL. */
async function emit(name, extension, bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const file = `${name}-${hash}.${extension}`;
  await writeFile(join(files, file), bytes);
  return `${PUBLIC}${file}`;
}

/** Returns the JavaScript of a WebAssembly module, and the URL of its bytes. */
async function module(name) {
  const [script, binary] = [`${name}.js`, `${name}_bg.wasm`].map((file) => join(compiled, file));
  const { code, wasm } = shortened(await readFile(script, "utf8"), await readFile(binary));
  const renamed = join(compiled, `${name}.short.js`);
  await writeFile(renamed, code);
  return { code: renamed, url: await emit(name, "wasm", wasm) };
}

/** Replaces a pattern that has to occur exactly once. */
function replaceOnce(html, pattern, replacement) {
  const found = html.match(new RegExp(pattern, "g")) ?? [];
  if (found.length !== 1) throw new Error(`${pattern} stands ${found.length} times in index.html`);
  return html.replace(new RegExp(pattern), () => replacement);
}

/** The scripts that are loaded on demand, and the module each one uses; the module's glue is bundled with it. */
const LATER = {
  "json-editor": "gatewright-editor",
  openapi: "gatewright-editor",
  "document-form": "gatewright-form",
  "openapi-import": "gatewright-form",
  "command-palette": "gatewright-palette",
  "bulk-actions": "gatewright-bulk",
};
const formStyles = await emit("document-form", "css", await bundle("web/styles/form.css"));
const importStyles = await emit("openapi-import", "css", await bundle("web/styles/import.css"));
const bulkStyles = await emit("bulk-actions", "css", await bundle("web/styles/bulk.css"));
const playgroundStyles = await emit("body-playground", "css", await bundle("web/styles/playground.css"));

/** The extra modules, the same as at the edge: `cargo xtask build` builds them for both. */
const extras = join(source, "target/extras");
const EXTRAS = Object.fromEntries(
  await Promise.all(
    ["jq", "transform"].map(async (name) => [name, await emit(`extra-${name}`, "wasm", await readFile(join(extras, `${name}_bg.wasm`)))]),
  ),
);
const modules = new Map(await Promise.all([...new Set(Object.values(LATER))].map(async (name) => [name, await module(name)])));
const extrasUrl = await emit(
  "extras",
  "js",
  await bundle("web/editor/extras.js", {
    format: "esm",
    platform: "browser",
    alias: Object.fromEntries(Object.keys(EXTRAS).map((name) => [`extra-${name}`, join(extras, `${name}.js`)])),
    define: { EXTRA_URLS: JSON.stringify(EXTRAS) },
    pure: ["FinalizationRegistry"],
  }),
);
const yamlUrl = await emit("yaml-editor", "js", await bundle("web/editor/yaml.js", { format: "esm", platform: "browser" }));
const later = await Promise.all(
  Object.entries(LATER).map(async ([script, used]) => {
    const { code, url } = modules.get(used);
    const name = `${used.replace("gatewright-", "").toUpperCase()}_WASM_URL`;
    const text = await bundle(`web/editor/${script}.js`, {
      format: "esm",
      platform: "browser",
      alias: { [used]: code },
      define: {
        [name]: JSON.stringify(url),
        EXTRAS_URL: JSON.stringify(extrasUrl),
        YAML_URL: JSON.stringify(yamlUrl),
        FORM_STYLES_URL: JSON.stringify(formStyles),
        IMPORT_STYLES_URL: JSON.stringify(importStyles),
        BULK_STYLES_URL: JSON.stringify(bulkStyles),
      },
      pure: ["FinalizationRegistry"],
    });
    return [script, text];
  }),
);
later.push([
  "body-playground",
  await bundle("web/editor/body-playground.js", {
    format: "esm",
    platform: "browser",
    define: { EXTRAS_URL: JSON.stringify(extrasUrl), PLAYGROUND_STYLES_URL: JSON.stringify(playgroundStyles) },
  }),
]);
/** The styles of each area, in addition to the console's own. */
const pageStyles = await emit("dashboard-styles", "css", await bundle("web/styles/dashboard.css"));
const STYLES = {
  gateway: await emit("gateway-styles", "css", await bundle("web/styles/gateway.css")),
  dashboard: pageStyles,
  documents: pageStyles,
  described: await emit("described-styles", "css", await bundle("web/styles/openapi.css")),
  offered: await emit("offered-styles", "css", await bundle("web/styles/offered.css")),
  access: pageStyles,
  overview: await emit("overview-styles", "css", await bundle("web/styles/overview.css")),
  traffic: await emit("traffic-styles", "css", await bundle("web/styles/traffic.css")),
  reference: await emit("reference-styles", "css", await bundle("web/styles/reference.css")),
  trust: await emit("trust-styles", "css", await bundle("web/styles/trust.css")),
};

/** Bundles wasm-bindgen's glue into the start script: minified, without unused classes. */
async function area(name, styles) {
  const { code, url } = await module(name === "gateway" ? "gatewright-web" : `gatewright-${name}`);
  const text = await bundle("web/boot/start.js", {
    format: "esm",
    alias: { "gatewright-web": code },
    define: { STYLES_URL: JSON.stringify(styles) },
    pure: ["FinalizationRegistry"],
  });
  return { script: await emit(`start-${name}`, "js", text), wasm: url, styles };
}
const AREAS = Object.fromEntries(await Promise.all(Object.entries(STYLES).map(async ([name, styles]) => [name, await area(name, styles)])));
const [styles, early] = await Promise.all([
  bundle("web/styles/console.css"),
  bundle("web/boot/early.js", { format: "iife", define: { AREAS: JSON.stringify(AREAS) } }),
]);

// The early script decides which area to load.
let html = await readFile(join(source, "web/index.html"), "utf8");
html = replaceOnce(html, 'href="styles/mark.svg"', `href="${await emit("mark", "svg", await readFile(join(source, "web/styles/mark.svg")))}"`);
html = replaceOnce(html, '<link data-asset="styles"[^>]*>', `<link rel="stylesheet" href="${await emit('console', 'css', styles)}">`);
html = replaceOnce(html, '<script data-asset="early"></script>', `<script src="${await emit('early', 'js', early)}"></script>`);
for (const [script, text] of later) {
  const url = await emit(script, "js", text);
  html = replaceOnce(html, `<meta name="gatewright-${script}"[^>]*>`, `<meta name="gatewright-${script}" content="${url}">`);
}

// A page that violates the policy would fail only in the browser; it is better to fail here.
if (/<script(?![^>]*\bsrc=)/.test(html)) throw new Error("index.html has an inline script");
if (/<style|\sstyle=/.test(html)) throw new Error("index.html has an inline style");
if (/\shttps?:\/\//.test(html) || /(src|href)="(https?:)?\/\//.test(html)) throw new Error("index.html names a foreign origin");

await writeFile(join(files, "index.html"), html);
// The licences of most packages require this from whoever distributes them.
await copyFile(join(source, "docs/licences.txt"), join(files, "licences.txt"));
