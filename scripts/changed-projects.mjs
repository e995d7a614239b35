import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The projects of vitest with a file that is not as it was at `since` (by default the last commit), by name and sorted:
 * packages, and `quality` and `repository`, whose tests lie in `quality` and `test`.
 *
 * @param {string} root
 * @param {string} since
 * @returns {string[]}
 */
export function changedProjects(root, since = "HEAD") {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n");
  const files = [
    ...git("diff", "--name-only", since),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
  const names = files.map((file) => {
    const [top = "", folder = ""] = file.split("/");
    if (top === "quality") return "quality";
    if (top === "test") return "repository";
    if (!["packages", "apps", "examples"].includes(top)) return undefined;
    const manifest = join(root, top, folder, "package.json");
    return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).name : undefined;
  });
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
