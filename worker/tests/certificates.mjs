// Certificates for tests: those of `crates/testkit/cases/certificates`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./harness.mjs";

/** Returns the concatenated texts of some of those files. */
export const pem = (...names) => names.map((name) => readFileSync(join(ROOT, "crates/testkit/cases/certificates", name), "utf8")).join("");

/**
 * A part of the private key in rsa.key, found in no other file there, which must not appear anywhere but in the store.
 */
export const CANARY = "iMZ/+6+Toj4/fBrRFI4TeJ5mpleFNo20rrUP1X75jCPDVm+E6sDRlPmOZr1LGaTz";
