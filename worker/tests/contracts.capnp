# The worker of contracts.js: as served, but compiled with the contracts of its ports. The test connects to
# the socket `contracts`.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "../workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gatewright", worker = .contracts),
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
    (name = "contracts", http = (), service = (name = "gatewright", entrypoint = "Contracts")),
  ],
);

const contracts :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [
    (name = "index.js", esModule = embed "../../target/contracts/build/index.js"),
    (name = "dataplane_bg.wasm", wasm = embed "../../target/contracts/build/dataplane_bg.wasm"),
    (name = "controlplane_bg.wasm", wasm = embed "../../target/contracts/build/controlplane_bg.wasm"),
    (name = "registry_bg.wasm", wasm = embed "../../target/contracts/build/registry_bg.wasm"),
    (name = "auth_bg.wasm", wasm = embed "../../target/contracts/build/auth_bg.wasm"),
    (name = "jq_bg.wasm", wasm = embed "../../target/contracts/build/jq_bg.wasm"),
    (name = "mcp_bg.wasm", wasm = embed "../../target/contracts/build/mcp_bg.wasm"),
    (name = "openapi_bg.wasm", wasm = embed "../../target/contracts/build/openapi_bg.wasm"),
    (name = "schema_bg.wasm", wasm = embed "../../target/contracts/build/schema_bg.wasm"),
    (name = "transform_bg.wasm", wasm = embed "../../target/contracts/build/transform_bg.wasm"),
  ],
  globalOutbound = "upstreams",
  durableObjectNamespaces = [
    (className = "Registry", uniqueKey = "gatewright-registry", enableSql = true, preventEviction = true),
    (className = "Ledger", uniqueKey = "gatewright-ledger", enableSql = true),
    (className = "Meter", uniqueKey = "gatewright-meter", enableSql = true),
    (className = "Database", uniqueKey = "contracts-database", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "registry-disk"),
  bindings = [
    (name = "REGISTRY", durableObjectNamespace = "Registry"),
    (name = "LEDGER", durableObjectNamespace = "Ledger"),
    (name = "METER", durableObjectNamespace = "Meter"),
    (name = "DATABASE", durableObjectNamespace = "Database"),
    (name = "KV", kvNamespace = "kv"),
    (name = "ASSETS", service = "assets-disk"),
    (name = "EGRESS", service = "internet"),
    (name = "GATEWAY_SECRET", fromEnvironment = "GATEWAY_SECRET"),
    (name = "LEDGER_SHARDS", fromEnvironment = "LEDGER_SHARDS"),
    (name = "DASHBOARD_TOKEN", fromEnvironment = "DASHBOARD_TOKEN"),
    (name = "GATEWAY_HOST", fromEnvironment = "GATEWAY_HOST"),
    (name = "CONSOLE_HOST", fromEnvironment = "CONSOLE_HOST"),
    (name = "BATCH_TIMEOUT_SECONDS", fromEnvironment = "BATCH_TIMEOUT_SECONDS"),
  ],
);
