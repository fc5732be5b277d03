# Two releases at once: this one, and one that plays the release after it (contracts.js, built with the feature
# `next`). One of them hosts the objects, and an isolate of the other one serves on the socket `other`.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "../workerd.capnp";

const thisWithObjects :Workerd.Config = (
  services = [
    (name = "gatewright", worker = (
      compatibilityDate = "2026-05-03",
      modules = .thisRelease,
      globalOutbound = "upstreams",
      durableObjectNamespaces = .namespaces,
      durableObjectStorage = (localDisk = "registry-disk"),
      bindings = .atHome,
    )),
    (name = "other", worker = (
      compatibilityDate = "2026-05-03",
      modules = .nextRelease,
      globalOutbound = "upstreams",
      bindings = .elsewhere,
    )),
    (name = "probe", worker = .probe),
    (name = "kv", worker = Gatewright.kv),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = .sockets,
);

const nextWithObjects :Workerd.Config = (
  services = [
    (name = "gatewright", worker = (
      compatibilityDate = "2026-05-03",
      modules = .nextRelease,
      globalOutbound = "upstreams",
      durableObjectNamespaces = .namespaces,
      durableObjectStorage = (localDisk = "registry-disk"),
      bindings = .atHome,
    )),
    (name = "other", worker = (
      compatibilityDate = "2026-05-03",
      modules = .thisRelease,
      globalOutbound = "upstreams",
      bindings = .elsewhere,
    )),
    (name = "probe", worker = .probe),
    (name = "kv", worker = Gatewright.kv),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = .sockets,
);

const sockets :List(Workerd.Socket) = [
  (name = "gateway", http = (), service = (name = "gatewright", entrypoint = "Gateway")),
  (name = "console", http = (), service = (name = "gatewright", entrypoint = "Console")),
  (name = "other", http = (), service = (name = "other", entrypoint = "Gateway")),
  (name = "probe", http = (), service = "probe"),
];

const thisRelease :List(Workerd.Worker.Module) = [
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
];

const nextRelease :List(Workerd.Worker.Module) = [
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
];

const namespaces :List(Workerd.Worker.DurableObjectNamespace) = [
  (className = "Registry", uniqueKey = "gatewright-registry", enableSql = true, preventEviction = true),
  (className = "Ledger", uniqueKey = "gatewright-ledger", enableSql = true),
  (className = "Meter", uniqueKey = "gatewright-meter", enableSql = true),
];

const atHome :List(Workerd.Worker.Binding) = [
  (name = "REGISTRY", durableObjectNamespace = "Registry"),
  (name = "LEDGER", durableObjectNamespace = "Ledger"),
  (name = "METER", durableObjectNamespace = "Meter"),
  (name = "KV", kvNamespace = "kv"),
  (name = "ASSETS", service = "assets-disk"),
  (name = "EGRESS", service = "internet"),
  (name = "GATEWAY_SECRET", fromEnvironment = "GATEWAY_SECRET"),
  (name = "LEDGER_SHARDS", fromEnvironment = "LEDGER_SHARDS"),
  (name = "DASHBOARD_TOKEN", fromEnvironment = "DASHBOARD_TOKEN"),
  (name = "GATEWAY_HOST", fromEnvironment = "GATEWAY_HOST"),
  (name = "CONSOLE_HOST", fromEnvironment = "CONSOLE_HOST"),
  (name = "RELOAD_CHECK_SECONDS", fromEnvironment = "RELOAD_CHECK_SECONDS"),
  (name = "FIGURES_REPORT_SECONDS", fromEnvironment = "FIGURES_REPORT_SECONDS"),
];

const elsewhere :List(Workerd.Worker.Binding) = [
  (name = "REGISTRY", durableObjectNamespace = (className = "Registry", serviceName = "gatewright")),
  (name = "LEDGER", durableObjectNamespace = (className = "Ledger", serviceName = "gatewright")),
  (name = "METER", durableObjectNamespace = (className = "Meter", serviceName = "gatewright")),
  (name = "KV", kvNamespace = "kv"),
  (name = "ASSETS", service = "assets-disk"),
  (name = "EGRESS", service = "internet"),
  (name = "GATEWAY_SECRET", fromEnvironment = "GATEWAY_SECRET"),
  (name = "LEDGER_SHARDS", fromEnvironment = "LEDGER_SHARDS"),
  (name = "DASHBOARD_TOKEN", fromEnvironment = "DASHBOARD_TOKEN"),
  (name = "GATEWAY_HOST", fromEnvironment = "GATEWAY_HOST"),
  (name = "CONSOLE_HOST", fromEnvironment = "CONSOLE_HOST"),
  (name = "RELOAD_CHECK_SECONDS", fromEnvironment = "RELOAD_CHECK_SECONDS"),
  (name = "FIGURES_REPORT_SECONDS", fromEnvironment = "FIGURES_REPORT_SECONDS"),
];

# Sends the objects whatever messages a test requires.
const probe :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [(name = "probe.js", esModule = embed "releases.js")],
  bindings = [
    (name = "REGISTRY", durableObjectNamespace = (className = "Registry", serviceName = "gatewright")),
    (name = "LEDGER", durableObjectNamespace = (className = "Ledger", serviceName = "gatewright")),
  ],
);
