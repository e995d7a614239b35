import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { joinPath } from "../reach/command.ts";
import type { ReadText } from "../reach/reach.ts";
import type { IsOwn } from "./mocked.ts";

/** What is known of the project around a test file. */
export interface Project {
  isOwn: IsOwn;
  /** Whether a module, as `importer` names it, still declares `name` itself. */
  defines(importer: string, module: string, name: string): boolean;
}

/** Folders in which a project's packages lie. */
const ROOTS = ["", "src", "lib", "python", "app"];

/** `read` gives the files as they are now. */
export async function projectIn(
  cwd: string,
  paths: readonly string[],
  read: ReadText,
): Promise<Project> {
  const listed = await Promise.all(
    ROOTS.map((root) => readdir(join(cwd, root)).catch((): string[] => [])),
  );
  // The project's own top-level modules: what lies in its folder, or in its folder of sources.
  const own = new Set<string>();
  const entries = [...listed.flat(), ...paths.flatMap((path) => path.split("/").slice(0, 2))];
  for (const entry of entries) own.add(entry.replace(/\.\w+$/, ""));
  for (const foreign of ["node_modules", "tests", "test", "src", "lib"]) own.delete(foreign);
  return {
    isOwn: (name) => own.has(name),
    defines(importer, module, name) {
      if (!/^\w+$/.test(name)) return false;
      const declaration = new RegExp(
        `\\b(?:function|def|class|const|let|var|func|fn|struct|interface|enum)\\*?\\s+${name}\\b`,
      );
      return filesOf(importer, module).some((file) => declaration.test(read(file) ?? ""));
    },
  };
}

/** The path of a module that is named relative to a file. */
export function resolveFrom(importer: string, module: string): string {
  return joinPath(importer.split("/").slice(0, -1).join("/"), module);
}

/** Where a module may lie. */
function filesOf(importer: string, module: string): string[] {
  if (/\.py$/.test(importer)) {
    const path = module.replace(/^\.+/, "").replaceAll(".", "/");
    const bases = module.startsWith(".")
      ? [resolveFrom(importer, path)]
      : [path, `src/${path}`, `lib/${path}`];
    return bases.flatMap((base) => [`${base}.py`, `${base}/__init__.py`]);
  }
  if (!module.startsWith(".")) return [];
  const path = resolveFrom(importer, module);
  const stem = path.replace(/\.[cm]?[jt]sx?$/, "");
  const endings = [".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", "/index.ts", "/index.js"];
  return [path, ...endings.map((ending) => stem + ending)];
}
