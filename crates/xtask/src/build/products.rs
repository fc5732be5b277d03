//! What is built, from which files, and into which folder.

use crate::fingerprint::Product;

/// The build scripts affect the output as much as the sources.
const HERE: &str = "crates/xtask/src/build";

/// The files of the built worker.
const PARTS: &[&str] = &[
    "index.js",
    "dataplane_bg.wasm",
    "controlplane_bg.wasm",
    "registry_bg.wasm",
    "auth_bg.wasm",
    "jq_bg.wasm",
    "mcp_bg.wasm",
    "openapi_bg.wasm",
    "schema_bg.wasm",
    "transform_bg.wasm",
];

/// The extra modules, for the worker and the console alike: what is tried in the console behaves as at the edge.
pub(super) const EXTRA_MODULES: Product = Product {
    name: "extras",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/model",
        "extras",
        HERE,
        "package-lock.json",
    ],
    output: "target/extras",
    parts: &["jq.js", "jq_bg.wasm", "transform.js", "transform_bg.wasm"],
};

/// What is uploaded: `index.js` and the WebAssembly modules that it instantiates.
pub(crate) const WORKER: Product = Product {
    name: "worker",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/api",
        "crates/controlplane",
        "crates/dataplane",
        "crates/ledger",
        "crates/model",
        "crates/protocol",
        "extras",
        HERE,
        "package-lock.json",
        "worker/controlplane",
        "worker/dataplane",
        "worker/egress",
        "worker/platform",
        "worker/registry",
        "worker/src",
    ],
    output: "worker/build",
    parts: PARTS,
};

/// What runs instead of the same files of [`WORKER`] on one machine, where nothing is uploaded.
pub(crate) const SERVED: Product = Product {
    name: "served",
    inputs: WORKER.inputs,
    output: "target/served",
    parts: &["index.js", "dataplane_bg.wasm"],
};

/// The worker with the contracts of its ports, which can also simulate the next release, for tests only: optimised for
/// build time, and never uploaded.
pub(super) const CONTRACTS: Product = Product {
    name: "contracts",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/api",
        "crates/controlplane",
        "crates/dataplane",
        "crates/ledger",
        "crates/model",
        "crates/protocol",
        "crates/testkit",
        "extras",
        HERE,
        "package-lock.json",
        "worker/controlplane",
        "worker/dataplane",
        "worker/egress",
        "worker/platform",
        "worker/registry",
        "worker/src",
        CONTRACTS_ENTRY,
    ],
    output: "target/contracts/build",
    parts: PARTS,
};

/// The entry that wraps `worker/src/entry.js` there.
pub(super) const CONTRACTS_ENTRY: &str = "worker/tests/contracts.js";

/// The console's static files, in folders by their public paths.
pub(crate) const CONSOLE: Product = Product {
    name: "console",
    inputs: &[
        ".cargo",
        "Cargo.lock",
        "Cargo.toml",
        "crates/model",
        "docs/licences.txt",
        "extras",
        HERE,
        "package-lock.json",
        "web/Cargo.toml",
        "web/assets.mjs",
        "web/boot",
        "web/editor",
        "web/imports.mjs",
        "web/index.html",
        "web/src",
        "web/styles",
    ],
    output: "target/assets/console",
    parts: &["index.html"],
};

/// The descriptions of both APIs: OpenAPI documents and JSON Schemas.
pub(super) const DESCRIPTIONS: Product = Product {
    name: "descriptions",
    inputs: &[
        "Cargo.lock",
        "Cargo.toml",
        "crates/api",
        "crates/model",
        HERE,
    ],
    output: "target/assets/openapi",
    parts: &["gateway.json", "dashboard.json", "schemas"],
};
