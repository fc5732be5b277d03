# What the gateway is compared with, each in a process of its own:
#   workerd serve worker/bench/baselines.capnp upstream|bare|forwarding|rewriting|ajv|jose|hono|limits|patches

using Workerd = import "/workerd/workerd.capnp";

const date :Text = "2026-05-03";

const upstream :Workerd.Config = (
  services = [(name = "upstream", worker = .upstreamWorker)],
  sockets = [(name = "http", http = (), service = "upstream")],
);

const upstreamWorker :Workerd.Worker = (
  compatibilityDate = .date,
  modules = [(name = "upstream.js", esModule = embed "upstream.js")],
);

const bare :Workerd.Config = (
  services = [
    (name = "bare", worker = .bareWorker),
    (name = "upstreams", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", http = (), service = "bare")],
);

const bareWorker :Workerd.Worker = (
  compatibilityDate = .date,
  modules = [(name = "bare.js", esModule = embed "bare.js")],
  globalOutbound = "upstreams",
  bindings = [(name = "TARGET", fromEnvironment = "TARGET")],
);

const forwarding :Workerd.Config = (
  services = [
    (name = "forwarding", worker = .forwardingWorker),
    (name = "upstreams", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", http = (), service = "forwarding")],
);

const forwardingWorker :Workerd.Worker = (
  compatibilityDate = .date,
  # `run.mjs` bundles it.
  modules = [(name = "forwarding.js", esModule = embed "../../target/bench/forwarding.js")],
  globalOutbound = "upstreams",
  bindings = [(name = "TARGET", fromEnvironment = "TARGET")],
);

const rewriting :Workerd.Config = (
  services = [
    (name = "rewriting", worker = .rewritingWorker),
    (name = "upstreams", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", http = (), service = "rewriting")],
);

const rewritingWorker :Workerd.Worker = (
  compatibilityDate = .date,
  # `run.mjs` bundles it.
  modules = [
    (name = "rewriting.js", esModule = embed "../../target/bench/rewriting.js"),
    (name = "jq.wasm", wasm = embed "../../node_modules/jq-web/jq.wasm"),
  ],
  globalOutbound = "upstreams",
  bindings = [(name = "TARGET", fromEnvironment = "TARGET")],
);

const ajv :Workerd.Config = (
  services = [
    (name = "ajv", worker = .ajvWorker),
    (name = "upstreams", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", http = (), service = "ajv")],
);

const ajvWorker :Workerd.Worker = (
  compatibilityDate = .date,
  # `run.mjs` bundles it.
  modules = [(name = "ajv.js", esModule = embed "../../target/bench/ajv.js")],
  globalOutbound = "upstreams",
  bindings = [(name = "TARGET", fromEnvironment = "TARGET")],
);

const jose :Workerd.Config = (
  services = [
    (name = "jose", worker = .joseWorker),
    (name = "upstreams", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", http = (), service = "jose")],
);

const joseWorker :Workerd.Worker = (
  compatibilityDate = .date,
  # `run.mjs` bundles it.
  modules = [(name = "jose.js", esModule = embed "../../target/bench/jose.js")],
  globalOutbound = "upstreams",
  bindings = [
    (name = "TARGET", fromEnvironment = "TARGET"),
    (name = "KEY_SET", fromEnvironment = "KEY_SET"),
  ],
);

const hono :Workerd.Config = (
  services = [
    (name = "hono", worker = .honoWorker),
    (name = "disk", disk = (writable = true)),
  ],
  sockets = [(name = "http", http = (), service = "hono")],
);

const honoWorker :Workerd.Worker = (
  compatibilityDate = .date,
  # `run.mjs` bundles it.
  modules = [(name = "hono.js", esModule = embed "../../target/bench/hono.js")],
  durableObjectNamespaces = [
    (className = "Documents", uniqueKey = "bench-documents", enableSql = true, preventEviction = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "DOCUMENTS", durableObjectNamespace = "Documents"),
    (name = "GATEWAY_SECRET", fromEnvironment = "GATEWAY_SECRET"),
  ],
);

const patches :Workerd.Config = (
  services = [
    (name = "patches", worker = .patchesWorker),
    (name = "disk", disk = (writable = true)),
  ],
  sockets = [(name = "http", http = (), service = "patches")],
);

const patchesWorker :Workerd.Worker = (
  compatibilityDate = .date,
  # `dashboard.mjs` bundles it.
  modules = [(name = "patches.js", esModule = embed "../../target/bench/patches.js")],
  durableObjectNamespaces = [
    (className = "Providers", uniqueKey = "bench-providers", enableSql = true, preventEviction = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "PROVIDERS", durableObjectNamespace = "Providers"),
    (name = "TOKEN_HASH", fromEnvironment = "TOKEN_HASH"),
  ],
);

const limits :Workerd.Config = (
  services = [
    (name = "limits", worker = .limitsWorker),
    (name = "upstreams", network = (allow = ["private"])),
    (name = "disk", disk = (writable = true)),
  ],
  sockets = [(name = "http", http = (), service = "limits")],
);

const limitsWorker :Workerd.Worker = (
  compatibilityDate = .date,
  # `run.mjs` bundles it.
  modules = [(name = "limits.js", esModule = embed "../../target/bench/limits.js")],
  globalOutbound = "upstreams",
  durableObjectNamespaces = [
    (className = "Limiter", uniqueKey = "bench-limits", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "LIMITER", durableObjectNamespace = "Limiter"),
    (name = "TARGET", fromEnvironment = "TARGET"),
    (name = "TOKEN", fromEnvironment = "TOKEN"),
    (name = "RATE", fromEnvironment = "RATE"),
    (name = "QUOTA", fromEnvironment = "QUOTA"),
  ],
);
