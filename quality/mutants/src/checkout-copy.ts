import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Of the entries of a node_modules that begin with a dot, those that programs need. */
const NEEDED = new Set([".pnpm", ".bin"]);
const AUTHOR = ["-c", "user.name=mutants", "-c", "user.email=mutants@localhost"];

/**
 * Copies a checkout into a folder, as a git repository of its own: all files that are tracked or could be. Installed
 * packages stay where they are and are linked; links between packages of the workspace lead to the copied ones.
 */
export function copyCheckout(root: string, folder: string): void {
  const listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  const files = listed.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
  for (const file of files) {
    cpSync(join(root, file), join(folder, file), { recursive: true, verbatimSymlinks: true });
  }
  git(folder, "init", "--quiet");
  git(folder, "add", "--all", "--force");
  git(folder, ...AUTHOR, "commit", "--quiet", "--message", "The checkout as it was copied");
  for (const manifest of files.filter((file) => basename(file) === "package.json")) {
    const modules = join(dirname(manifest), "node_modules");
    if (existsSync(join(root, modules))) linkModules(join(root, modules), join(folder, modules));
  }
  writeFileSync(join(folder, ".git/info/exclude"), "node_modules\n");
}

function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name.startsWith(".") && !NEEDED.has(entry.name)) continue;
    // Relative links stay what they are: the package of the workspace, or one below the linked `.pnpm`.
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name.startsWith("@")) linkModules(source, target);
    else symlinkSync(source, target);
  }
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 2 ** 28 });
}
