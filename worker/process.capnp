# One of several processes that serve, on a socket that they share; worker/objects.capnp has what they ask. The
# variable PROCESS says which one it is.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gatewright", worker = Gatewright.gatewright),
    (name = "objects", external = (http = ())),
    (name = "administration", external = (http = (cfBlobHeader = "Cf-Blob"))),
    (name = "processes", worker = Gatewright.processes),
    (name = "kv", external = (http = ())),
    (name = "upstreams", network = Gatewright.upstreams),
    (name = "internet", network = Gatewright.internet),
    # The objects are elsewhere: nothing is ever stored here.
    (name = "registry-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "gateway", http = (), service = (name = "gatewright", entrypoint = "Gateway")),
    (name = "process", http = (), service = (name = "gatewright", entrypoint = "Process")),
  ],
);
