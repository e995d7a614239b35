import { once } from "node:events";
import { isLoopError } from "@ccw-loop/core";
import { postgresStore } from "../../src/index.ts";

/** Claims loop `a` for a moment, and commits under that lease when it is told to. */
const [url = "", schema = ""] = process.argv.slice(2);
const store = postgresStore({ url, schema });
const { epoch } = await store.claim("a", "sleeper", 200);
console.log("claimed");
await once(process.stdin, "data");
const event = {
  type: "loop.edited" as const,
  at: "2026-01-22T10:00:00.000Z",
  changes: { notes: "late" },
};
const outcome = await store.append("a", 1, [event], { actor: "sleeper", epoch }).then(
  () => "written",
  (error: unknown) => (isLoopError(error) ? error.code : String(error)),
);
console.log(outcome);
process.stdin.destroy();
await store.close();
