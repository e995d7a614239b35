import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Mutant } from "../mutant.ts";

/** All mutants of a checkout, by the names of their files. */
export async function knownMutants(root: string): Promise<Mutant[]> {
  const files = globSync("quality/mutants/known/*.ts", { cwd: root }).sort();
  const modules: { mutants: Mutant[] }[] = await Promise.all(
    files.map((file) => import(pathToFileURL(join(root, file)).href)),
  );
  return modules.flatMap(({ mutants }) => mutants);
}

/** Why a mutant cannot be played in this checkout; null when it can. */
export function staleness(root: string, mutant: Mutant): string | null {
  const { file, find, replace } = mutant;
  const noticing = "test" in mutant ? mutant.test.file : mutant.run.command[0];
  for (const path of [file, noticing]) {
    if (!existsSync(join(root, path))) return `There is no file ${path}.`;
  }
  if (find === replace) return "It changes nothing.";
  const count = readFileSync(join(root, file), "utf8").split(find).length - 1;
  if (count !== 1) {
    return `Its text to find stands ${count} times in ${file}. Adapt it to the source as it is now.`;
  }
  return null;
}

/** The source file with the defect in it. */
export function defective(text: string, { find, replace }: Mutant): string {
  return text.replace(find, () => replace);
}
