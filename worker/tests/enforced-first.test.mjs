// The first half of what enforced-apis.mjs demonstrates.

import { demonstrateApis } from "./enforced-apis.mjs";

demonstrateApis(0);
