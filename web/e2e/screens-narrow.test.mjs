// Every page on the screen of a phone.

import { look } from "./screens/pages.mjs";

look(390);
