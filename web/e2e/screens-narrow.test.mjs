// Every page on a phone's screen.

import { look } from "./screens/pages.mjs";

look(390);
