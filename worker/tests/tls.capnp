# The worker behind a server that terminates TLS and reports client certificates, as the edge does: a header carries the
# contents of `request.cf`.

using Workerd = import "/workerd/workerd.capnp";
using Gatewright = import "../workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "gatewright", worker = Gatewright.gatewright),
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
    (name = "gateway", http = (cfBlobHeader = "Cf-Blob"), service = (name = "gatewright", entrypoint = "Gateway")),
    (name = "console", http = (), service = (name = "gatewright", entrypoint = "Console")),
  ],
);
