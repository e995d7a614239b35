import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { fsStore } from "../src/index.ts";
import { BY, initialized, loopFile, newLoop, readJson, started } from "./loops.ts";
import { makeProject } from "./project.ts";

/** A running loop with two tasks at revision 2, and what another program needs. */
export async function beginExternal() {
  const root = makeProject();
  const warnings: string[] = [];
  const store = fsStore({ root, onWarning: ({ message }) => warnings.push(message) });
  await store.create(newLoop("a"), BY);
  await store.append("a", 1, [started, initialized("task-1", "task-2")], BY);
  const path = loopFile(root, "a.json");
  /** As an editor does: a new file under the old name. */
  const edit = (change: (document: Record<string, unknown>) => void) => {
    const document = readJson(path);
    change(document);
    writeFileSync(`${path}.mine`, JSON.stringify(document));
    renameSync(`${path}.mine`, path);
  };
  return { root, store, path, edit, warnings };
}

/** The names of what was kept aside. */
export const beside = (root: string) =>
  readdirSync(loopFile(root, "")).filter((name) => /rejected|conflict|damaged/.test(name));
