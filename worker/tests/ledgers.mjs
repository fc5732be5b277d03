// Reads what Ledgers have stored, for tests.

import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const WITHIN_MS = 20_000;
const POLL_MS = 20;

/**
 * Returns the owners that have something stored, other than the end of a session: `<file> <owner>` for an object with
 * many, just the file for one with a single owner. The runtime leaves an empty file behind for an object that has nothing
 * stored.
 */
export function ledgers(dataDir) {
  return read(dataDir).filter(({ state }) => !state?.includes(',"gone":')).map(({ name }) => name);
}

/** Returns those that wait for the end of a write. */
export function holding(dataDir) {
  return read(dataDir).filter(({ state }) => JSON.parse(state ?? "{}").holds !== undefined).map(({ name }) => name);
}

function read(dataDir) {
  const folder = join(dataDir, "registry", "gatewright-ledger");
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  // Copies, because reading the files themselves would lock them for the runtime.
  const copies = mkdtempSync(join(tmpdir(), "ledgers-"));
  try {
    return files.flatMap((name) => {
      for (const file of [name, `${name}-wal`].filter((file) => existsSync(join(folder, file)))) {
        copyFileSync(join(folder, file), join(copies, file));
      }
      return owners(join(copies, name)).map(({ owner, state }) => ({ name: `${name}${owner}`, state }));
    });
  } finally {
    rmSync(copies, { recursive: true });
  }
}

/** A copy that was made during a write may be unreadable. */
function owners(path) {
  const file = new DatabaseSync(path);
  try {
    const tables = file.prepare("SELECT name FROM sqlite_master").all().map(({ name }) => name);
    if (!tables.includes("owner")) return tables.length === 0 ? [] : [{ owner: "" }];
    return file.prepare("SELECT name, state FROM owner").all().map(({ name, state }) => ({ owner: ` ${name}`, state }));
  } catch {
    return [{ owner: "?" }];
  } finally {
    file.close();
  }
}

/** Waits until `look` returns something truthy. */
export async function until(look) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${look} has not come about`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}
