// Writes that arrive together are one transaction of the runtime: if one of them fails, the others are stored all the same.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";

const WRITERS = 24;

/** Makes the database refuse every key with the alias `refused`, which stands in for a failure of the storage. */
function refuse({ dataDir }) {
  const folder = join(dataDir, "registry/gatewright-registry");
  const [file] = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  const database = new DatabaseSync(join(folder, file));
  database.exec("CREATE TRIGGER refused BEFORE INSERT ON session_text WHEN NEW.text LIKE '%refused%' BEGIN SELECT RAISE(ABORT, 'no'); END");
  database.close();
}

test("one write that the storage refuses fails alone, and leaves nothing behind", async () => {
  const gateway = await start();
  try {
    const definition = api();
    await gateway.admin("POST", "/gateway/apis", { body: definition });
    await gateway.kill();
    refuse(gateway);
    await gateway.restart();
    const key = (alias) => ({ alias, access_rights: { [definition.api_id]: { api_id: definition.api_id } } });
    const aliases = Array.from({ length: WRITERS }, (_, n) => (n % 8 === 5 ? "refused" : `stored-${n}`));
    const answers = await Promise.all(aliases.map((alias) => gateway.admin("POST", "/gateway/keys", { body: key(alias) })));
    assert.deepEqual(answers.map(({ status }) => status), aliases.map((alias) => (alias === "refused" ? 503 : 200)));
    // What was acknowledged is on the disk, and nothing else: neither keys nor entries of the trail.
    await gateway.restart();
    const stored = aliases.filter((alias) => alias !== "refused").sort();
    const { keys } = (await gateway.admin("GET", "/gateway/keys?view=summary&per_page=100&page=1")).json;
    assert.deepEqual(keys.map(({ alias }) => alias).sort(), stored);
    const { entries } = (await gateway.dashboard("GET", "/api/audit?subject=key&limit=100")).json;
    assert.deepEqual(entries.map(({ name }) => name).sort(), stored);
  } finally {
    await gateway.stop();
  }
});
