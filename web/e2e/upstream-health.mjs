// A response of `GET /gateway/health/upstreams/{apiID}` for an API with every feature.

/** 120 tests at intervals of ten seconds, 24 of which, in the middle, got no response. */
const checks = (now) =>
  Array.from({ length: 120 }, (_, n) => {
    const at = now - (119 - n) * 10;
    const up = n < 70 || n >= 94;
    return up ? { at, up, status: 200, ms: 9 + ((n * 7) % 13), error: "" } : { at, up, status: 0, ms: 10_000, error: "no answer within 10 s" };
  });

export function HEALTH(now = Math.floor(Date.now() / 1000)) {
  return {
    api_id: "orders",
    at: now,
    loaded: true,
    load_balancing: true,
    skips_down: true,
    targets: [
      { url: "http://10.0.0.1:8080/v2", host: "10.0.0.1:8080", weight: 2, state: "up", since: now - 260 },
      { url: "http://10.0.0.2:8080/v2", host: "10.0.0.2:8080", weight: 1, state: "down", since: now - 90 },
      { url: "https://orders.example.org", host: "orders.example.org", weight: 1, state: "untested", since: null },
    ],
    discovery: null,
    breakers: [
      { path: "/orders/{id}", method: "GET", state: "open", until: now + 28, requests: 12, failures: 7, samples: 5, threshold_percent: 0.5 },
      { path: "/orders", method: "POST", state: "closed", until: null, requests: 3, failures: 0, samples: 5, threshold_percent: 0.5 },
    ],
    breakers_of: "machine",
    uptime: {
      enabled: true,
      every_seconds: 10,
      failures_to_down: 3,
      checks_kept: 360,
      tests: [
        { url: "http://10.0.0.1:8080/health", host: "10.0.0.1:8080", method: "GET", protocol: "http", state: "up", since: now - 260, next_at: now + 6, checks: checks(now) },
        {
          url: "http://10.0.0.2:8080/health",
          host: "10.0.0.2:8080",
          method: "GET",
          protocol: "http",
          state: "down",
          since: now - 90,
          next_at: now + 6,
          checks: checks(now).map((check, n) => (n < 111 ? { ...check, up: true, status: 200, ms: 14, error: "" } : { ...check, up: false, status: 503, ms: 7, error: "" })),
        },
        { url: "tcp://10.0.0.3:5432", host: "10.0.0.3:5432", method: "", protocol: "tcp", state: "untested", since: null, next_at: now + 3, checks: [] },
      ],
    },
  };
}
