import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { IsOwn } from "./mocked.ts";

/** Folders in which a project's packages lie. */
const ROOTS = ["", "src", "lib", "python", "app"];

/** Knows the project's own top-level modules: what lies in its folder, or in its folder of sources. */
export async function ownModules(cwd: string, paths: readonly string[]): Promise<IsOwn> {
  const listed = await Promise.all(
    ROOTS.map((root) => readdir(join(cwd, root)).catch((): string[] => [])),
  );
  const own = new Set<string>();
  const entries = [...listed.flat(), ...paths.flatMap((path) => path.split("/").slice(0, 2))];
  for (const entry of entries) own.add(entry.replace(/\.\w+$/, ""));
  for (const foreign of ["node_modules", "tests", "test", "src", "lib"]) own.delete(foreign);
  return (name) => own.has(name);
}
