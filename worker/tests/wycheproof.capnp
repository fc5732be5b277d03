# Only the verification of signatures: each request has a list of checks and gets a list of results.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "checks", worker = .checks),
    (name = "registry-disk", disk = (writable = true)),
    (name = "kv-disk", disk = (writable = true)),
    (name = "assets-disk", disk = ()),
  ],
  sockets = [
    (name = "gateway", http = (), service = "checks"),
    (name = "console", http = (), service = "checks"),
  ],
);

const checks :Workerd.Worker = (
  compatibilityDate = "2026-05-03",
  modules = [
    (name = "wycheproof.js", esModule = embed "wycheproof.js"),
    (name = "verify.js", esModule = embed "../src/verify.js"),
    (name = "kept.js", esModule = embed "../src/kept.js"),
  ],
);
