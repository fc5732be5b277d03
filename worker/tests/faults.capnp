# The worker as served, with a KV between it and the real one that fails as a test demands.
# The test connects to the socket `faults`; see faults.js.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "../workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gatewright", worker = Gatewright.gatewright),
    (name = "objects", worker = Gatewright.processes),
    (name = "administration", worker = Gatewright.processes),
    (name = "processes", worker = Gatewright.processes),
    (name = "kv", worker = .faults),
    (name = "kv-store", worker = Gatewright.kv),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "gateway", http = (), service = "gatewright"),
    (name = "console", http = (), service = "gatewright"),
    (name = "faults", http = (), service = (name = "kv", entrypoint = "Control")),
  ],
);

const faults :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [(name = "faults.js", esModule = embed "faults.js")],
  bindings = [(name = "STORE", service = "kv-store"), (name = "RULES", fromEnvironment = "FAULT_RULES")],
);
