// Trunk's post_build hook: every file of the console that is not Rust.
//
// Bundles the styles, the boot scripts and the custom elements with esbuild, writes them under names that
// carry a hash of their bytes, and puts the names into index.html. Nothing
// is left inline, so the page runs under `script-src 'self' 'wasm-unsafe-eval'; style-src 'self'`.
//
// Reads TRUNK_STAGING_DIR, TRUNK_PUBLIC_URL, TRUNK_SOURCE_DIR and TRUNK_PROFILE (set by Trunk:
// https://trunkrs.dev/advanced/hooks/).
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const need = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: web/assets.mjs is run by trunk`);
  return value;
};
const staging = need("TRUNK_STAGING_DIR");
const source = need("TRUNK_SOURCE_DIR");
const publicUrl = need("TRUNK_PUBLIC_URL");
const release = process.env.TRUNK_PROFILE === "release";

/** Bundles one entry point and answers its text. `define` replaces identifiers by values. */
async function bundle(entry, options = {}) {
  const result = await build({
    entryPoints: [join(source, entry)],
    bundle: true,
    write: false,
    minify: release,
    target: ["chrome123", "firefox121", "safari17.5"],
    legalComments: "none",
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles[0].text;
}

/** Writes `name-<hash>.<extension>` into the staging folder and answers its URL. */
async function emit(name, extension, bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const file = `${name}-${hash}.${extension}`;
  await writeFile(join(staging, file), bytes);
  return `${publicUrl}${file}`;
}

/** Replaces what has to be there exactly once. */
function replaceOnce(html, pattern, replacement) {
  const found = html.match(new RegExp(pattern, "g")) ?? [];
  if (found.length !== 1) throw new Error(`${pattern} stands ${found.length} times in index.html`);
  return html.replace(new RegExp(pattern), () => replacement);
}

const page = join(staging, "index.html");
let html = await readFile(page, "utf8");

const boot = /<script type="module" data-boot data-js="([^"]+)" data-wasm="([^"]+)"><\/script>/.exec(html);
if (!boot) throw new Error("the boot placeholder is missing from index.html: see pattern_script in Trunk.toml");
const [placeholder, js, wasm] = boot;
const glue = join(staging, js.slice(publicUrl.length));

/** The scripts that are loaded later and the module that each one uses: its glue becomes a part of them. */
const LATER = {
  "json-editor": "gatewright-editor",
  openapi: "gatewright-editor",
  "document-form": "gatewright-form",
  "openapi-import": "gatewright-form",
};
const formStyles = await emit("document-form", "css", await bundle("web/styles/form.css"));
const importStyles = await emit("openapi-import", "css", await bundle("web/styles/import.css"));
const playgroundStyles = await emit("body-playground", "css", await bundle("web/styles/playground.css"));

/** The extra modules as the edge has them: `cargo xtask build` makes them for both. */
const extras = join(source, "target/extras");
const EXTRAS = Object.fromEntries(
  await Promise.all(
    ["jq", "transform"].map(async (name) => [name, await emit(`extra-${name}`, "wasm", await readFile(join(extras, `${name}_bg.wasm`)))]),
  ),
);
const modules = new Map(
  await Promise.all(
    [...new Set(Object.values(LATER))].map(async (module) => {
      const [code, binary] = [`${module}.js`, `${module}_bg.wasm`].map((file) => join(staging, file));
      return [module, { code, binary, url: await emit(module, "wasm", await readFile(binary)) }];
    }),
  ),
);
const later = await Promise.all(
  Object.entries(LATER).map(async ([script, module]) => {
    const { code, url } = modules.get(module);
    const name = `${module.replace("gatewright-", "").toUpperCase()}_WASM_URL`;
    const text = await bundle(`web/editor/${script}.js`, {
      format: "esm",
      platform: "browser",
      alias: { [module]: code },
      define: {
        [name]: JSON.stringify(url),
        FORM_STYLES_URL: JSON.stringify(formStyles),
        IMPORT_STYLES_URL: JSON.stringify(importStyles),
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
    alias: Object.fromEntries(Object.keys(EXTRAS).map((name) => [`extra-${name}`, join(extras, `${name}.js`)])),
    define: { EXTRA_URLS: JSON.stringify(EXTRAS), PLAYGROUND_STYLES_URL: JSON.stringify(playgroundStyles) },
    pure: ["FinalizationRegistry"],
  }),
]);
await Promise.all([...modules.values()].flatMap(({ code, binary }) => [rm(code), rm(binary)]));

/** wasm-bindgen's glue becomes a part of the start script: minified, without the classes nobody uses. */
async function area(name, code, wasmUrl, styles = "") {
  const text = await bundle("web/boot/start.js", {
    format: "esm",
    alias: { "gatewright-web": code },
    define: { WASM_URL: JSON.stringify(wasmUrl), STYLES_URL: JSON.stringify(styles) },
    pure: ["FinalizationRegistry"],
  });
  await rm(code);
  return { script: await emit(`start-${name}`, "js", text), wasm: wasmUrl, styles };
}

const AREAS = { gateway: await area("gateway", glue, wasm) };
const pageStyles = await emit("dashboard-styles", "css", await bundle("web/styles/dashboard.css"));
const describedStyles = await emit("described-styles", "css", await bundle("web/styles/openapi.css"));
const trafficStyles = await emit("traffic-styles", "css", await bundle("web/styles/traffic.css"));
const trustStyles = await emit("trust-styles", "css", await bundle("web/styles/trust.css"));
const STYLES = { dashboard: pageStyles, documents: pageStyles, described: describedStyles, access: pageStyles, traffic: trafficStyles, trust: trustStyles };
for (const [name, styles] of Object.entries(STYLES)) {
  const [code, binary] = [`gatewright-${name}.js`, `gatewright-${name}_bg.wasm`].map((file) => join(staging, file));
  AREAS[name] = await area(name, code, await emit(`gatewright-${name}`, "wasm", await readFile(binary)), styles);
  await rm(binary);
}
const [styles, early] = await Promise.all([
  bundle("web/styles/console.css"),
  bundle("web/boot/early.js", { format: "iife", define: { AREAS: JSON.stringify(AREAS) } }),
]);

// The early script decides which area is loaded.
html = html.replace(placeholder, "");
html = replaceOnce(html, `<link rel="modulepreload" href="${js}"[^>]*>`, "");
html = replaceOnce(html, `<link rel="preload" href="${wasm}"[^>]*>`, "");
html = replaceOnce(html, '<link data-asset="styles"[^>]*>', `<link rel="stylesheet" href="${await emit('console', 'css', styles)}">`);
html = replaceOnce(html, '<script data-asset="early"></script>', `<script src="${await emit('early', 'js', early)}"></script>`);
for (const [script, text] of later) {
  const url = await emit(script, "js", text);
  html = replaceOnce(html, `<meta name="gatewright-${script}"[^>]*>`, `<meta name="gatewright-${script}" content="${url}">`);
}

// A page that breaks the policy would fail in the browser only; better here.
if (/<script(?![^>]*\bsrc=)/.test(html)) throw new Error("index.html has an inline script");
if (/<style|\sstyle=/.test(html)) throw new Error("index.html has an inline style");
if (/\shttps?:\/\//.test(html) || /(src|href)="(https?:)?\/\//.test(html)) throw new Error("index.html names a foreign origin");

await writeFile(page, html);
