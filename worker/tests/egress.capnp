# The worker as served, but the network it fetches documents through is a single server that answers
# every request. The two real networks are accessible to tests: a request to one of their sockets is sent
# to the host in its Host header.

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
    (name = "internet", worker = .oneServer),
    (name = "public", network = Gatewright.internet),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "gateway", http = (), service = "gatewright"),
    (name = "console", http = (), service = "gatewright"),
    (name = "upstreams", http = (), service = "upstreams"),
    (name = "public", http = (), service = "public"),
  ],
);

const oneServer :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [
    (name = "one.js", esModule = "export default { fetch: ({ url }) => new Response(`one server at ${url}`) };"),
  ],
);
