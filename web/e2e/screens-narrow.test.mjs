// Every page on a phone's screen.

import { testPages } from "./screens/pages.mjs";

testPages(390);
