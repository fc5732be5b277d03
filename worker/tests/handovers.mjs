// Reads what the Registry has not handed over to Ledgers yet, for tests.

import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Returns how many handovers are open. */
export function openHandovers(dataDir) {
  const folder = join(dataDir, "registry", "gatewright-registry");
  const [name] = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
  // A copy, because reading the file itself would lock it for the runtime.
  const copies = mkdtempSync(join(tmpdir(), "handovers-"));
  try {
    for (const file of [name, `${name}-wal`].filter((file) => existsSync(join(folder, file)))) {
      copyFileSync(join(folder, file), join(copies, file));
    }
    const file = new DatabaseSync(join(copies, name));
    try {
      const open = "SELECT (SELECT count(*) FROM session_text) + (SELECT count(*) FROM session_ended) AS open";
      return file.prepare(open).get().open;
    } finally {
      file.close();
    }
  } finally {
    rmSync(copies, { recursive: true });
  }
}
