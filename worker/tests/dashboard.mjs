// Calls to the dashboard API, for its tests.

import { send } from "./http.mjs";

/** Returns a function that calls the dashboard API with a token; see `send` in http.mjs for the rest. */
export function caller(gateway, token = gateway.dashboardToken) {
  return (method, path, { headers, ...rest } = {}) =>
    send(gateway.ports.console, { method, path, headers: { Authorization: `Bearer ${token}`, ...headers }, ...rest });
}

/** Every permission that a credential can have. */
export const ALL = { rulesets: "write", clientidps: "write", hooks: "write", apis: "write" };

/** Issues a credential: `{ token, id }`. */
export async function issue(gateway, body) {
  const answer = await gateway.admin("POST", "/gateway/dashboard/credentials", { body });
  if (answer.status !== 200) throw new Error(answer.text);
  return { token: answer.json.token, id: answer.json.key };
}

/** Revokes a credential. */
export const revoke = (gateway, id) => gateway.admin("DELETE", `/gateway/dashboard/credentials/${id}`);

/** Returns every route, `{ method, path, group, access }`, with its variables filled in from `ids` by group. */
export async function routes(gateway, ids = {}) {
  const { paths } = (await send(gateway.ports.console, { path: "/openapi/dashboard.json" })).json;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const id = ids[template.split("/")[2]] ?? "kept";
      const path = template.replace(/\{(id|hookId)\}/, id).replace("{apiId}", "api").replace(/\{(revision|seq)\}/, "1");
      return { method: method.toUpperCase(), path, group: operation["x-gatewright-group"], access: operation["x-gatewright-access"] };
    }),
  );
}

/** Returns all notifications of an organisation, read page by page. */
export async function notifications(call) {
  const all = [];
  for (;;) {
    const { notifications: page } = (await call("GET", "/api/notifications", { query: { after: all.at(-1)?.seq ?? 0, limit: 1000 } })).json;
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Builds a form for `send`. A part is a text, or `{ file, text }`. */
export function form(parts) {
  const boundary = "----part-of-a-test";
  const part = ([name, value]) => {
    const file = value.file === undefined ? "" : `; filename="${value.file}"\r\nContent-Type: application/json`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value.text ?? value}\r\n`;
  };
  const body = `${parts.map(part).join("")}--${boundary}--\r\n`;
  return { body, headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` } };
}
