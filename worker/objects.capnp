# The process with the objects, the administration and the console, where several processes serve; worker/process.capnp
# configures the others. `cargo xtask serve --workers N` starts them all and assigns their sockets.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gatewright", worker = Gatewright.gatewright),
    (name = "objects", worker = Gatewright.processes),
    (name = "administration", worker = Gatewright.processes),
    (name = "processes", worker = .processes),
    (name = "process-1", external = (http = ())),
    (name = "process-2", external = (http = ())),
    (name = "process-3", external = (http = ())),
    (name = "process-4", external = (http = ())),
    (name = "kv", worker = Gatewright.kv),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "console", http = (), service = (name = "gatewright", entrypoint = "Console")),
    (name = "administration", http = (cfBlobHeader = "Cf-Blob"), service = (name = "gatewright", entrypoint = "Gateway")),
    (name = "objects", http = (), service = (name = "gatewright", entrypoint = "Objects")),
    (name = "kv", http = (), service = "kv"),
  ],
);

const processes :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [(name = "processes.js", esModule = embed "local/processes.js")],
  bindings = [
    (name = "WORKERS", fromEnvironment = "WORKERS"),
    (name = "PROCESS_1", service = "process-1"),
    (name = "PROCESS_2", service = "process-2"),
    (name = "PROCESS_3", service = "process-3"),
    (name = "PROCESS_4", service = "process-4"),
  ],
);
