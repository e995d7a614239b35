/** Commits numbered notes for ever and says each number once its commit was acknowledged. */
import { fsStore } from "../../src/index.ts";
import { appendNewest, noted } from "../loops.ts";

const [root = ""] = process.argv.slice(2);
const store = fsStore({ root });
for (let n = 1; ; n++) {
  await appendNewest(store, "a", noted(String(n)));
  process.stdout.write(`${n}\n`);
}
