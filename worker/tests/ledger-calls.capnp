# The worker of ledger-calls.js: Ledgers as served, and a Registry that a test controls.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "../workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gatewright", worker = .calls),
    (name = "kv", worker = Gatewright.kv),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "gateway", http = (), service = "gatewright"),
    (name = "console", http = (), service = "gatewright"),
  ],
);

const calls :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [
    (name = "ledger-calls.js", esModule = embed "ledger-calls.js"),
    (name = "index.js", esModule = embed "../build/index.js"),
    (name = "dataplane_bg.wasm", wasm = embed "../build/dataplane_bg.wasm"),
    (name = "controlplane_bg.wasm", wasm = embed "../build/controlplane_bg.wasm"),
    (name = "registry_bg.wasm", wasm = embed "../build/registry_bg.wasm"),
    (name = "auth_bg.wasm", wasm = embed "../build/auth_bg.wasm"),
    (name = "jq_bg.wasm", wasm = embed "../build/jq_bg.wasm"),
    (name = "mcp_bg.wasm", wasm = embed "../build/mcp_bg.wasm"),
    (name = "openapi_bg.wasm", wasm = embed "../build/openapi_bg.wasm"),
    (name = "schema_bg.wasm", wasm = embed "../build/schema_bg.wasm"),
    (name = "transform_bg.wasm", wasm = embed "../build/transform_bg.wasm"),
  ],
  durableObjectNamespaces = [
    (className = "Registry", uniqueKey = "gatewright-registry", enableSql = true, preventEviction = true),
    (className = "Ledger", uniqueKey = "gatewright-ledger", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "registry-disk"),
  bindings = [
    (name = "REGISTRY", durableObjectNamespace = "Registry"),
    (name = "LEDGER", durableObjectNamespace = "Ledger"),
    (name = "LEDGER_SHARDS", fromEnvironment = "LEDGER_SHARDS"),
    (name = "LEDGER_SHARDS_BEFORE", fromEnvironment = "LEDGER_SHARDS_BEFORE"),
  ],
);
