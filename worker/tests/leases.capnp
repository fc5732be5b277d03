# Three serving isolates, the first of which hosts all objects: as at the edge, where a Ledger's object lives
# in one of many isolates and all others have to call it.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "../workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gatewright", worker = Gatewright.gatewright),
    (name = "east", worker = .elsewhere),
    (name = "west", worker = .elsewhere),
    (name = "objects", worker = Gatewright.processes),
    (name = "administration", worker = Gatewright.processes),
    (name = "processes", worker = Gatewright.processes),
    (name = "kv", worker = Gatewright.kv),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "gateway", http = (), service = (name = "gatewright", entrypoint = "Gateway")),
    (name = "console", http = (), service = (name = "gatewright", entrypoint = "Console")),
    (name = "east", http = (), service = (name = "east", entrypoint = "Gateway")),
    (name = "west", http = (), service = (name = "west", entrypoint = "Gateway")),
  ],
);

const elsewhere :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [
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
  globalOutbound = "upstreams",
  bindings = [
    (name = "REGISTRY", durableObjectNamespace = (className = "Registry", serviceName = "gatewright")),
    (name = "LEDGER", durableObjectNamespace = (className = "Ledger", serviceName = "gatewright")),
    (name = "METER", durableObjectNamespace = (className = "Meter", serviceName = "gatewright")),
    (name = "KV", kvNamespace = "kv"),
    (name = "GATEWAY_SECRET", fromEnvironment = "GATEWAY_SECRET"),
    (name = "LEDGER_SHARDS", fromEnvironment = "LEDGER_SHARDS"),
    (name = "GATEWAY_HOST", fromEnvironment = "GATEWAY_HOST"),
    (name = "CONSOLE_HOST", fromEnvironment = "CONSOLE_HOST"),
    (name = "RELOAD_CHECK_SECONDS", fromEnvironment = "RELOAD_CHECK_SECONDS"),
    (name = "FIGURES_REPORT_SECONDS", fromEnvironment = "FIGURES_REPORT_SECONDS"),
  ],
);
