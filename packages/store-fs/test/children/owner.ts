/** Claims a loop for a minute, says so, and lives until it is killed. */
import { fsStore } from "../../src/index.ts";

const [root = ""] = process.argv.slice(2);
await fsStore({ root }).claim("a", "child", 60_000);
process.send?.("claimed");
setInterval(() => {}, 1000);
