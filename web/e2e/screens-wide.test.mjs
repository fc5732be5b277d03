// Every page on a wide screen.

import { testPages } from "./screens/pages.mjs";

testPages(1280);
