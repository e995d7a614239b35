import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isInside, realPath } from "@ccw-loop/processes/plain-file";

export type PathResolver = ReturnType<typeof pathResolver>;

/** Folders that one report may name. */
const ADDED = 20;

/**
 * Finds the project's files by the names that a coverage report has for them. A relative name starts at an added folder, at the report's own folder or at one above it: at the first of them
 * where such a file exists, else at the first added folder or the project folder.
 */
export function pathResolver(cwd: string, reportFile: string) {
  const roots = [cwd, realPath(cwd)];
  const added: string[] = [];
  const above: string[] = [];
  for (let folder = dirname(reportFile); isInside(cwd, folder); folder = dirname(folder)) {
    above.push(folder);
    if (folder === cwd) break;
  }
  const within = (file: string): string | null => {
    const root = roots.find((one) => isInside(one, file));
    const path = root === undefined ? "" : relative(root, file).split(sep).join("/");
    return path === "" ? null : path;
  };

  return {
    cwd,
    /** The report's own folder and those above it, up to the project folder. */
    above,
    /** The path from the project folder with `/`; null for what lies outside it. */
    find(name: string): string | null {
      const plain = plainName(name);
      if (plain === "") return null;
      if (isAbsolute(plain)) return within(plain);
      const all = [...added, ...above].map((folder) => within(join(folder, plain)));
      const inside = all.filter((path) => path !== null);
      return (
        inside.find((path) => existsSync(join(cwd, path))) ?? within(join(added[0] ?? cwd, plain))
      );
    },
    /** One more folder that names may start at, if it exists; in absolute form or from the project folder. */
    add(folder: string): void {
      const plain = plainName(folder);
      const whole = isAbsolute(plain) ? plain : join(cwd, plain);
      if (plain === "" || added.length >= ADDED || added.includes(whole)) return;
      if (within(join(whole, "a")) !== null && existsSync(whole)) added.push(whole);
    },
  };
}

function plainName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.includes("\0")) return "";
  if (trimmed.startsWith("file://")) {
    try {
      return fileURLToPath(trimmed);
    } catch {
      return "";
    }
  }
  return sep === "\\" || !/^[\w.-]+(\\[\w. -]+)+$/.test(trimmed)
    ? trimmed
    : trimmed.replaceAll("\\", "/");
}
