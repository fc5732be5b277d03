// The worker's WebAssembly modules. An isolate that serves requests needs no administration, and one that administers
// need not host the Registry, so only the data plane is instantiated at start; the others wait for their first event,
// and an extra for its first call (`extras.js`).

import dataplaneCode from "./dataplane_bg.wasm";
import controlplaneCode from "./controlplane_bg.wasm";
import registryCode from "./registry_bg.wasm";
import * as dataplaneExports from "./dataplane.js";
import * as controlplaneExports from "./controlplane.js";
import * as registryExports from "./registry.js";
import { Module } from "./module.js";

export const memoryBytes = () => Module.memoryBytes();

export const dataplane = new Module("dataplane", dataplaneCode, dataplaneExports);
export const controlplane = new Module("controlplane", controlplaneCode, controlplaneExports);
export const registry = new Module("registry", registryCode, registryExports);

// A trap in a promise job of wasm-bindgen arrives here.
addEventListener("error", (event) => {
  for (const module of [dataplane, controlplane, registry]) module.guardIfOwn(event.error);
});
