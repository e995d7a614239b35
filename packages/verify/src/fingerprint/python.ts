import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isInside } from "../files/inside.ts";
import { answerOf } from "./answer.ts";
import { digestOf, fileDigest, folderDigest } from "./digests.ts";
import { findProgram, interpreterOf, type Program } from "./programs.ts";

type Env = Readonly<Record<string, string>>;

/** Where an interpreter looks for modules, without what the project itself adds. */
export interface PythonPlace {
  version: string;
  /** The interpreter itself, which a program such as a shim of pyenv only stands for. */
  executable: string;
  /** Of the standard library. */
  library: string;
  /** Folders with installed packages, in the order they are looked through. */
  sites: string[];
}

/** Runs nothing but the standard library: `-I -S` leaves out the project, its variables and its start-up files. */
const QUESTION = [
  "import json, os, site, sys",
  "here = os.path.dirname(os.path.dirname(sys.executable))",
  "own = os.path.exists(os.path.join(here, 'pyvenv.cfg'))",
  // Debian's Python without `site` answers with the system's own places for a virtual environment as well.
  "lib = os.path.join(here, 'lib', 'python%d.%d' % sys.version_info[:2], 'site-packages')",
  "sites = [lib] + site.getsitepackages([here]) if own else site.getsitepackages() + [site.getusersitepackages()]",
  "print(json.dumps({'version': sys.version.split()[0], 'executable': sys.executable, 'library': os.path.dirname(os.__file__), 'sites': sites}))",
].join("\n");

const Answer = z.object({
  version: z.string(),
  executable: z.string(),
  library: z.string(),
  sites: z.array(z.string()),
});

/** Null when the interpreter cannot be asked, or is a file of the project's own. */
export async function pythonPlace(
  interpreter: Program,
  cwd: string,
  env: Env,
): Promise<PythonPlace | null> {
  if (isInside(cwd, interpreter.file)) return null;
  const text = await answerOf(interpreter.path, ["-I", "-S", "-c", QUESTION], cwd, env);
  try {
    return Answer.parse(JSON.parse(text ?? ""));
  } catch {
    return null;
  }
}

/** The interpreter behind `python`, or behind a script such as `pytest`; else the one of the PATH. */
export async function interpreterBehind(
  program: Program,
  cwd: string,
  env: Env,
): Promise<Program | null> {
  if (PYTHON.test(program.path)) return program;
  const named = await interpreterOf(program);
  const words = named !== null && PYTHON.test(named) ? [named] : [];
  for (const word of [...words, "python3", "python"]) {
    const found = await findProgram(word, cwd, env);
    if (found !== null) return found;
  }
  return null;
}

const PYTHON = /(^|[/\\])python(\d[\d.]*)?(\.exe)?$/;

/** The test module that a command starts: `pytest`, `python -m pytest`, `python -m unittest`; null for any other. */
export function pythonModule(
  program: string,
  args: readonly string[],
): "pytest" | "unittest" | null {
  if (/(^|[/\\])(pytest|py\.test)(\.exe)?$/.test(program)) return "pytest";
  const module = PYTHON.test(program) ? args[args.indexOf("-m") + 1] : undefined;
  return module === "pytest" || module === "unittest" ? module : null;
}

/** The folders of a module and its parts in the first place that has the module. */
export async function modulePart(
  sites: readonly string[],
  names: readonly string[],
): Promise<string | null> {
  for (const site of sites) {
    const parts = await Promise.all(names.map((name) => folderDigest(join(site, name))));
    const found = parts.filter((part) => part !== null);
    if (parts[0] !== null && found.length > 0) return digestOf(...found);
  }
  return null;
}

/** pytest's version by its own file; null when it is not installed there. */
export async function pytestVersion(sites: readonly string[]): Promise<string | null> {
  for (const site of sites) {
    const text = await readFile(join(site, "_pytest", "_version.py"), "utf8").catch(() => "");
    const version = /^(?:__version__ = )?version = ["']([^"']+)["']/m.exec(text)?.[1];
    if (version !== undefined) return version;
  }
  return null;
}

/**
 * Modules that every interpreter imports by itself when it starts, and lines of code in `.pth` files that no installed
 * package lists as its own. A digest also where there are none, so that one that comes is noticed.
 */
export async function startupFiles(place: PythonPlace, env: Env): Promise<string> {
  const extra = (env.PYTHONPATH ?? "").split(process.platform === "win32" ? ";" : ":");
  const found: string[] = [];
  for (const folder of [...extra.filter(Boolean), ...place.sites, place.library]) {
    for (const name of ["sitecustomize", "usercustomize"]) {
      const digest =
        (await fileDigest(join(folder, `${name}.py`))) ?? (await folderDigest(join(folder, name)));
      if (digest !== null) found.push(digest);
    }
  }
  for (const site of place.sites) found.push(...(await strayPaths(site)));
  return digestOf(...found);
}

async function strayPaths(site: string): Promise<string[]> {
  const names = await readdir(site).catch(() => []);
  const stray: string[] = [];
  for (const name of names.filter((one) => one.endsWith(".pth")).sort()) {
    const text = await readFile(join(site, name), "utf8").catch(() => "");
    if (/^import[ \t]/m.test(text) && !(await isListed(site, names, name))) stray.push(text);
  }
  return stray;
}

/** Whether a package's list of installed files names it. */
async function isListed(site: string, names: readonly string[], file: string): Promise<boolean> {
  for (const name of names.filter((one) => one.endsWith(".dist-info"))) {
    const record = await readFile(join(site, name, "RECORD"), "utf8").catch(() => "");
    if (record.startsWith(`${file},`) || record.includes(`\n${file},`)) return true;
  }
  return false;
}
