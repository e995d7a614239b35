import { existsSync } from "node:fs";
import { join, posix, relative } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  type CheckResult,
  type Objection,
  type PlanPart,
  type ProofCheck,
  typedCommand,
  type VerifyPlan,
} from "@ccw-loop/core";
import { filesUnder, isTestFile, textOf } from "@ccw-loop/test-runner/project-files";
import { quotes, titlesIn } from "./test-text.ts";

/** A check that begins now; call the answer with what it came to. */
export function beginCheck(kind: ProofCheck["kind"]) {
  const began = performance.now();
  return (
    result: ProofCheck["result"],
    reason: string,
    looked_at = 0,
    objections: Objection[] = [],
  ): CheckResult => ({
    check: { kind, result, reason, looked_at, duration_ms: Math.round(performance.now() - began) },
    objections,
  });
}

/** How many files are looked into for tests. */
const LOOKED_INTO = 500;

/**
 * Where the text of the tests is. Reports name a package or a crate (Go, Rust), or what the file was built into, which a
 * clean room does not have before its tests ran: then it is the one file in which a test of that name begins,
 * or which quotes it.
 */
export async function locateTests(options: CheckOptions, cwd: string): Promise<CheckOptions> {
  const isThere = ({ file }: CheckOptions["green"][number]) =>
    file !== undefined && existsSync(join(cwd, file));
  if (options.green.every(isThere)) return options;
  const texts = await testTexts(cwd);
  const titles = new Map(texts.map(([path, text]) => [path, new Set(titlesIn(text))]));
  const filesWith = (name: string) => {
    const beginning = texts.filter(([path]) => titles.get(path)?.has(name));
    return beginning.length > 0 ? beginning : texts.filter(([, text]) => quotes(text, name));
  };
  const green = options.green.map((one) => {
    if (isThere(one)) return one;
    const files = filesWith(nameOf(one.id)).map(([path]) => path);
    return { id: one.id, file: files.length === 1 ? files[0] : undefined };
  });
  return { ...options, green };
}

/** What a test calls itself: without its suite, its parameters and its number. */
export function nameOf(id: string): string {
  const last =
    id
      .replace(/ #\d+$/, "")
      .split(" > ")
      .at(-1) ?? id;
  return last.replace(/^(\w+::)+(?=\w+$)/, "").replace(/^([tT]est\w*)[[/].*$/s, "$1");
}

/** Texts of files that may hold tests. */
async function testTexts(cwd: string): Promise<[path: string, text: string][]> {
  const found: [string, string][] = [];
  for await (const path of filesUnder(cwd)) {
    if (!isTestFile(path) && !path.endsWith(".rs")) continue;
    if (found.length >= LOOKED_INTO) break;
    found.push([path, textOf(join(cwd, path)) ?? ""]);
  }
  return found;
}

/** The suites of one folder of a project, as if that were the whole project. */
export interface SuiteFolder {
  plan: VerifyPlan;
  options: CheckOptions;
  /** From the project; empty for its own. */
  folder: string;
}

/** A plan by the folders in which its commands are run. */
export function splitByFolder(plan: VerifyPlan, options: CheckOptions): SuiteFolder[] {
  const folders = [...new Set(plan.parts.map(({ folder = "" }) => folder))];
  const below = folders.filter((folder) => folder !== "");
  return folders.map((folder) => {
    const own = folder === "" ? optionsOutside(options, below) : optionsIn(options, folder);
    const isUnplaced = (part: PlanPart) => options.unplaced.includes(typedCommand(part));
    const unplaced = partsIn({ parts: plan.parts.filter(isUnplaced) }, folder);
    return {
      folder,
      plan: { ...plan, parts: partsIn(plan, folder) },
      options: { ...own, unplaced: unplaced.map(({ command }) => command) },
    };
  });
}

function partsIn({ parts }: Pick<VerifyPlan, "parts">, folder: string): VerifyPlan["parts"] {
  const own = parts.filter((part) => (part.folder ?? "") === folder);
  return own.map(({ folder: _, ...part }) => part);
}

function optionsOutside(options: CheckOptions, folders: readonly string[]): CheckOptions {
  const isOwn = ({ id }: CheckOptions["green"][number]) =>
    !folders.some((folder) => id.startsWith(`${folder}/`) || id.startsWith(`${folder} > `));
  return folders.length === 0 ? options : { ...options, green: options.green.filter(isOwn) };
}

function optionsIn(options: CheckOptions, folder: string): CheckOptions {
  const inside = (path: string) => path.startsWith(`${folder}/`);
  return {
    ...options,
    green: options.green
      .filter(({ file }) => file === undefined || inside(file))
      .flatMap(({ id, file }) => {
        const own = idIn(folder, id);
        return own === null ? [] : [{ id: own, file: file?.slice(folder.length + 1) }];
      }),
    sources: options.sources.map((path) => posix.relative(folder, path)),
    room: async (sources) => roomIn(await options.room(sources), folder),
  };
}

/** The identity of a test as its own folder names it; null where it is of another one. */
function idIn(folder: string, id: string): string | null {
  // A report may name no file, and no suite.
  for (const start of [`${folder}/`, `${folder} > `]) {
    if (id.startsWith(start)) return id.slice(start.length);
  }
  return null;
}

function roomIn(room: Checkout, folder: string): Checkout {
  const cwd = join(room.cwd, folder);
  return {
    ...room,
    cwd,
    without: room.without?.map((path) => relative(cwd, join(room.cwd, path))) ?? [],
  };
}
