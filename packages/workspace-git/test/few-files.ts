/** Measures the files of CWD, opens as many files as the limit allows, and says what the next look meets. */
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitWorkspace } from "../src/index.ts";

const cwd = process.env.CWD ?? "";
const workspace = gitWorkspace(cwd);
await workspace.tree();
writeFileSync(join(cwd, "new.txt"), "new");
try {
  for (;;) openSync("/dev/null", "r");
} catch {
  // There are no more.
}
const error: unknown = await workspace.tree().then(
  () => null,
  (reason: unknown) => reason,
);
const { code, message } = (error ?? {}) as { code?: string; message?: string };
process.stdout.write(JSON.stringify({ code, message }));
