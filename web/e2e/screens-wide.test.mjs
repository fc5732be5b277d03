// Every page on a wide screen.

import { look } from "./screens/pages.mjs";

look(1280);
