import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isInside } from "../files/inside.ts";
import { outputOfProgram } from "./answer.ts";
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

const PythonAnswer = z.object({
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
  const text = await outputOfProgram(interpreter.path, ["-I", "-S", "-c", QUESTION], cwd, env);
  try {
    return PythonAnswer.parse(JSON.parse(text ?? ""));
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

/** pytest's version by its own file; null when it is not installed there. */
export async function pytestVersion(sites: readonly string[]): Promise<string | null> {
  for (const site of sites) {
    const text = await readFile(join(site, "_pytest", "_version.py"), "utf8").catch(() => "");
    const version = /^(?:__version__ = )?version = ["']([^"']+)["']/m.exec(text)?.[1];
    if (version !== undefined) return version;
  }
  return null;
}
