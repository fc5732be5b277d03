# Gatewright on one machine: the same worker as at the edge, on workerd, with its state in folders.
#
# `cargo xtask serve` starts it as
#   workerd serve worker/workerd.capnp \
#     --socket-addr gateway=127.0.0.1:8787 --socket-addr console=127.0.0.1:8788 \
#     --directory-path registry-disk=.gatewright/registry --directory-path kv-disk=.gatewright/kv \
#     --directory-path assets-disk=target/assets
# with the variables below in its environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = .serving,
  services = [
    (name = "gatewright", worker = .gatewright),
    (name = "objects", worker = .processes),
    (name = "administration", worker = .processes),
    (name = "processes", worker = .processes),
    (name = "kv", worker = .kv),
    (name = "upstreams", network = .upstreams),
    (name = "internet", network = .internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  # Two origins: responses of upstreams never share one with the console. The socket decides which one a
  # request is for, whatever its Host is.
  sockets = [
    (name = "gateway", http = (), service = (name = "gatewright", entrypoint = "Gateway")),
    (name = "console", http = (), service = (name = "gatewright", entrypoint = "Console")),
  ],
);

# A process that serves runs for long: functions are optimised sooner, and garbage is collected less often. That saves up
# to a tenth of a request's CPU time, and takes 20 to 40 MB more under load (docs/numbers.md).
const serving :List(Text) = ["--min-semi-space-size=8", "--wasm-tiering-budget=1000000"];

# A local gateway is meant for upstreams on its own machine and network.
const upstreams :Workerd.Network = (
  allow = ["public", "private"],
  tlsOptions = (trustBrowserCas = true),
);

# Addresses that an operator has the gateway fetch must not lead into that network, not even through a name
# that resolves to an address in it.
const internet :Workerd.Network = (
  allow = ["public"],
  tlsOptions = (trustBrowserCas = true),
);

const gatewright :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [
    # The data plane compiled for speed, with the bundle for it (`cargo xtask build`).
    (name = "index.js", esModule = embed "../target/served/index.js"),
    (name = "dataplane_bg.wasm", wasm = embed "../target/served/dataplane_bg.wasm"),
    (name = "controlplane_bg.wasm", wasm = embed "build/controlplane_bg.wasm"),
    (name = "registry_bg.wasm", wasm = embed "build/registry_bg.wasm"),
    (name = "auth_bg.wasm", wasm = embed "build/auth_bg.wasm"),
    (name = "jq_bg.wasm", wasm = embed "build/jq_bg.wasm"),
    (name = "mcp_bg.wasm", wasm = embed "build/mcp_bg.wasm"),
    (name = "openapi_bg.wasm", wasm = embed "build/openapi_bg.wasm"),
    (name = "schema_bg.wasm", wasm = embed "build/schema_bg.wasm"),
    (name = "transform_bg.wasm", wasm = embed "build/transform_bg.wasm"),
  ],
  globalOutbound = "upstreams",
  durableObjectNamespaces = [
    (className = "Registry", uniqueKey = "gatewright-registry", enableSql = true, preventEviction = true),
    (className = "Ledger", uniqueKey = "gatewright-ledger", enableSql = true),
    (className = "Meter", uniqueKey = "gatewright-meter", enableSql = true),
    (className = "CacheGeneration", uniqueKey = "gatewright-cache-generation", enableSql = true),
    (className = "Uptime", uniqueKey = "gatewright-uptime", enableSql = true),
    (className = "UpstreamAnswers", uniqueKey = "gatewright-upstream-answers", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "registry-disk"),
  bindings = [
    (name = "REGISTRY", durableObjectNamespace = "Registry"),
    (name = "LEDGER", durableObjectNamespace = "Ledger"),
    (name = "METER", durableObjectNamespace = "Meter"),
    (name = "CACHE_GENERATIONS", durableObjectNamespace = "CacheGeneration"),
    (name = "UPTIME", durableObjectNamespace = "Uptime"),
    (name = "UPSTREAM_ANSWERS", durableObjectNamespace = "UpstreamAnswers"),
    (name = "KV", kvNamespace = "kv"),
    (name = "ASSETS", service = "assets-disk"),
    (name = "EGRESS", service = "internet"),
    (name = "OBJECTS", service = "objects"),
    (name = "ADMINISTRATION", service = "administration"),
    (name = "PROCESSES", service = "processes"),
    (name = "PROCESS", fromEnvironment = "PROCESS"),
    (name = "GATEWAY_SECRET", fromEnvironment = "GATEWAY_SECRET"),
    (name = "DASHBOARD_TOKEN", fromEnvironment = "DASHBOARD_TOKEN"),
    (name = "DASHBOARD_ORG_ID", fromEnvironment = "DASHBOARD_ORG_ID"),
    (name = "GATEWAY_HOST", fromEnvironment = "GATEWAY_HOST"),
    (name = "CONSOLE_HOST", fromEnvironment = "CONSOLE_HOST"),
    (name = "CONNECT_CODE", fromEnvironment = "CONNECT_CODE"),
    (name = "CONSOLE_SESSION_IDLE_MINUTES", fromEnvironment = "CONSOLE_SESSION_IDLE_MINUTES"),
    (name = "CONSOLE_SESSION_HOURS", fromEnvironment = "CONSOLE_SESSION_HOURS"),
    (name = "ENVIRONMENT_NAME", fromEnvironment = "ENVIRONMENT_NAME"),
    (name = "ENVIRONMENT_COLOR", fromEnvironment = "ENVIRONMENT_COLOR"),
    (name = "CLIENT_IP_HEADER", fromEnvironment = "CLIENT_IP_HEADER"),
    (name = "RELOAD_CHECK_SECONDS", fromEnvironment = "RELOAD_CHECK_SECONDS"),
    (name = "BATCH_MAX_REQUESTS", fromEnvironment = "BATCH_MAX_REQUESTS"),
    (name = "BATCH_MAX_REQUEST_BYTES", fromEnvironment = "BATCH_MAX_REQUEST_BYTES"),
    (name = "BATCH_MAX_RESPONSE_BYTES", fromEnvironment = "BATCH_MAX_RESPONSE_BYTES"),
    (name = "BATCH_MAX_TOTAL_BYTES", fromEnvironment = "BATCH_MAX_TOTAL_BYTES"),
    (name = "BATCH_TIMEOUT_SECONDS", fromEnvironment = "BATCH_TIMEOUT_SECONDS"),
    (name = "EGRESS_ALLOW_PRIVATE", fromEnvironment = "EGRESS_ALLOW_PRIVATE"),
    (name = "EGRESS_TIMEOUT_SECONDS", fromEnvironment = "EGRESS_TIMEOUT_SECONDS"),
    (name = "WEBHOOK_RETRY_SECONDS", fromEnvironment = "WEBHOOK_RETRY_SECONDS"),
    (name = "NOTIFICATIONS_KEPT", fromEnvironment = "NOTIFICATIONS_KEPT"),
    (name = "NOTIFICATION_STREAMS_MAX", fromEnvironment = "NOTIFICATION_STREAMS_MAX"),
    (name = "NOTIFICATION_STREAMS_PER_CREDENTIAL", fromEnvironment = "NOTIFICATION_STREAMS_PER_CREDENTIAL"),
    (name = "LEDGER_SHARDS", fromEnvironment = "LEDGER_SHARDS"),
    (name = "LEDGER_SHARDS_BEFORE", fromEnvironment = "LEDGER_SHARDS_BEFORE"),
    (name = "METER_SHARDS", fromEnvironment = "METER_SHARDS"),
    (name = "DOCUMENTS_PER_ORG_MAX", fromEnvironment = "DOCUMENTS_PER_ORG_MAX"),
    (name = "PUBLISHED_SET_MAX_MB", fromEnvironment = "PUBLISHED_SET_MAX_MB"),
    (name = "REVISIONS_KEPT", fromEnvironment = "REVISIONS_KEPT"),
    (name = "REVISIONS_KEPT_DAYS", fromEnvironment = "REVISIONS_KEPT_DAYS"),
    (name = "AUDIT_KEPT_DAYS", fromEnvironment = "AUDIT_KEPT_DAYS"),
    (name = "NOTIFICATIONS_KEPT_DAYS", fromEnvironment = "NOTIFICATIONS_KEPT_DAYS"),
    (name = "DELIVERIES_KEPT", fromEnvironment = "DELIVERIES_KEPT"),
    (name = "CREDENTIALS_KEPT_DAYS", fromEnvironment = "CREDENTIALS_KEPT_DAYS"),
    (name = "HASH_KEY_FUNCTION", fromEnvironment = "HASH_KEY_FUNCTION"),
    (name = "BASIC_AUTH_HASH_KEY_FUNCTION", fromEnvironment = "BASIC_AUTH_HASH_KEY_FUNCTION"),
    (name = "MIN_TOKEN_LENGTH", fromEnvironment = "MIN_TOKEN_LENGTH"),
    (name = "UNKNOWN_KEYS_PER_SECOND", fromEnvironment = "UNKNOWN_KEYS_PER_SECOND"),
    (name = "UNKNOWN_KEYS_BURST", fromEnvironment = "UNKNOWN_KEYS_BURST"),
    (name = "OAUTH_TOKEN_EXPIRE", fromEnvironment = "OAUTH_TOKEN_EXPIRE"),
    (name = "OAUTH_REFRESH_TOKEN_EXPIRE", fromEnvironment = "OAUTH_REFRESH_TOKEN_EXPIRE"),
    (name = "OAUTH_REDIRECT_URI_SEPARATOR", fromEnvironment = "OAUTH_REDIRECT_URI_SEPARATOR"),
    (name = "OAUTH_ERROR_STATUS_CODE", fromEnvironment = "OAUTH_ERROR_STATUS_CODE"),
    (name = "ALLOW_MASTER_KEYS", fromEnvironment = "ALLOW_MASTER_KEYS"),
    (name = "ALLOW_UNENFORCED", fromEnvironment = "ALLOW_UNENFORCED"),
    (name = "GLOBAL_SESSION_LIFETIME", fromEnvironment = "GLOBAL_SESSION_LIFETIME"),
    (name = "FORCE_GLOBAL_SESSION_LIFETIME", fromEnvironment = "FORCE_GLOBAL_SESSION_LIFETIME"),
    (name = "SESSION_LIFETIME_RESPECTS_KEY_EXPIRATION", fromEnvironment = "SESSION_LIFETIME_RESPECTS_KEY_EXPIRATION"),
    (name = "ENABLE_STRICT_ROUTES", fromEnvironment = "ENABLE_STRICT_ROUTES"),
    (name = "ENABLE_PATH_PREFIX_MATCHING", fromEnvironment = "ENABLE_PATH_PREFIX_MATCHING"),
    (name = "ENABLE_PATH_SUFFIX_MATCHING", fromEnvironment = "ENABLE_PATH_SUFFIX_MATCHING"),
    (name = "IGNORE_ENDPOINT_CASE", fromEnvironment = "IGNORE_ENDPOINT_CASE"),
    (name = "PROXY_DEFAULT_TIMEOUT", fromEnvironment = "PROXY_DEFAULT_TIMEOUT"),
    (name = "MAX_REQUEST_BODY_SIZE", fromEnvironment = "MAX_REQUEST_BODY_SIZE"),
    (name = "HTTP_XFF_DEPTH", fromEnvironment = "HTTP_XFF_DEPTH"),
    (name = "ERROR_OVERRIDES", fromEnvironment = "ERROR_OVERRIDES"),
    (name = "OVERRIDE_MESSAGES", fromEnvironment = "OVERRIDE_MESSAGES"),
    (name = "HIDE_GENERATOR_HEADER", fromEnvironment = "HIDE_GENERATOR_HEADER"),
    (name = "RATE_LIMIT_RESPONSE_HEADERS", fromEnvironment = "RATE_LIMIT_RESPONSE_HEADERS"),
    (name = "RATE_LIMIT_FIELDS", fromEnvironment = "RATE_LIMIT_FIELDS"),
    (name = "ENABLE_HEALTH_CHECKS", fromEnvironment = "ENABLE_HEALTH_CHECKS"),
    (name = "HEALTH_CHECK_VALUE_TIMEOUTS", fromEnvironment = "HEALTH_CHECK_VALUE_TIMEOUTS"),
    (name = "UPTIME_TESTS_DISABLE", fromEnvironment = "UPTIME_TESTS_DISABLE"),
    (name = "UPTIME_TESTS_TIME_WAIT", fromEnvironment = "UPTIME_TESTS_TIME_WAIT"),
    (name = "UPTIME_TESTS_FAILURE_TRIGGER_SAMPLE_SIZE", fromEnvironment = "UPTIME_TESTS_FAILURE_TRIGGER_SAMPLE_SIZE"),
    (name = "FIGURES_REPORT_SECONDS", fromEnvironment = "FIGURES_REPORT_SECONDS"),
  ],
);

# Stands in for the other processes, of which there are none.
const processes :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [(name = "processes.js", esModule = embed "local/processes.js")],
);

# Workers KV, over SQLite.
const kv :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [(name = "kv.js", esModule = embed "local/kv.js")],
  durableObjectNamespaces = [
    (className = "Store", uniqueKey = "gatewright-kv", enableSql = true, preventEviction = true),
  ],
  durableObjectStorage = (localDisk = "kv-disk"),
  bindings = [(name = "STORE", durableObjectNamespace = "Store")],
);
