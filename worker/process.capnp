# One of several processes that serve, on a socket they share; worker/objects.capnp configures the process with the
# objects. The variable PROCESS is this one's number.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "workerd.capnp";

const config :Workerd.Config = (
  v8Flags = Gatewright.serving,
  services = [
    (name = "gatewright", worker = Gatewright.gatewright),
    (name = "objects", external = (http = ())),
    (name = "administration", external = (http = (cfBlobHeader = "Cf-Blob"))),
    (name = "processes", worker = Gatewright.processes),
    (name = "kv", external = (http = ())),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    # The objects are in another process: nothing is ever stored here.
    (name = "registry-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "gateway", http = (), service = (name = "gatewright", entrypoint = "Gateway")),
    (name = "process", http = (), service = (name = "gatewright", entrypoint = "Process")),
  ],
);
