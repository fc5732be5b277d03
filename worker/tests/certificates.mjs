// Certificates for tests: those of `crates/testkit/cases/certificates`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./harness.mjs";

/** The texts of some of those files, one behind the other. */
export const pem = (...names) => names.map((name) => readFileSync(join(ROOT, "crates/testkit/cases/certificates", name), "utf8")).join("");

/** A part of the private key in rsa.key, and of no other file there, that nothing but the store may have. */
export const CANARY = "iMZ/+6+Toj4/fBrRFI4TeJ5mpleFNo20rrUP1X75jCPDVm+E6sDRlPmOZr1LGaTz";
