import { join, posix, relative } from "node:path";
import type { CheckOptions, Checkout, VerifyPlan } from "@ccw-loop/core";

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
  return folders.map((folder) => ({
    folder,
    plan: { ...plan, parts: partsIn(plan, folder) },
    options: folder === "" ? optionsOutside(options, below) : optionsIn(options, folder),
  }));
}

function partsIn({ parts }: VerifyPlan, folder: string): VerifyPlan["parts"] {
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
