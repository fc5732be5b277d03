// Issues a dashboard credential for an organisation and prints its token, the only time that it is shown.
//
//     node worker/local/credential.mjs GATEWAY ORGANISATION
//
// takes the gateway's base URL, and GATEWAY_SECRET from the environment. `cargo xtask serve --organisation` runs it.

const [gateway, organisation] = process.argv.slice(2);
const { GATEWAY_SECRET: secret } = process.env;
if (!organisation || !secret) throw new Error("usage: GATEWAY_SECRET=… node worker/local/credential.mjs GATEWAY ORGANISATION");

const response = await fetch(`${gateway}/gateway/dashboard/credentials`, {
  method: "POST",
  headers: { "X-Gateway-Authorization": secret },
  body: JSON.stringify({
    name: `serve ${new Date().toISOString().slice(0, 16)}`,
    org_id: organisation,
    permissions: { apis: "write", clientidps: "write", hooks: "write", rulesets: "write" },
  }),
});
const reply = await response.json();
if (response.ok) console.log(reply.token);
else {
  console.error(reply.message);
  process.exitCode = 1;
}
