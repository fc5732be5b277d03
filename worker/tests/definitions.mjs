// API definitions for tests. Each gets its own id and listen path, so that no test depends on what another has left
// behind.

let count = 0;

/** Returns a keyless API with its own id and listen path; `members` and `proxy` override the defaults. */
export function api(members = {}, proxy = {}) {
  count += 1;
  const name = `t${process.pid}-${count}`;
  return {
    api_id: name,
    name: `API ${name}`,
    use_keyless: true,
    ...members,
    proxy: { listen_path: `/at-${name}/`, target_url: "http://127.0.0.1:9/", strip_listen_path: true, ...proxy },
  };
}

/** Stores definitions and reloads. */
export async function publish(gateway, ...definitions) {
  for (const body of definitions) {
    const stored = await gateway.admin("POST", "/gateway/apis", { body });
    if (stored.status !== 200) throw new Error(`${body.api_id}: ${stored.text}`);
  }
  const reloaded = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  if (reloaded.status !== 200) throw new Error(reloaded.text);
}
