import { join } from "node:path";
import { isInside } from "../files/inside.ts";
import { digestOf, fileDigest } from "./digests.ts";
import { findProgram, pathFolders } from "./programs.ts";

type Env = Readonly<Record<string, string>>;

/** Programs that belong to the machine: a project that brings its own hides the real one. */
const WELL_KNOWN =
  "node npm npx pnpm yarn bun deno sh bash dash zsh env python python3 pip git go cargo rustc java mvn gradle dotnet php composer ruby bundle make";

/**
 * Of all programs in the project's own folders of the PATH that hide a well-known one. A digest also where there are
 * none, so that the first one is noticed. An interpreter that a virtual environment only links to hides nothing.
 */
export async function shadowDigest(cwd: string, env: Env): Promise<string> {
  const isModules = (folder: string) => /[/\\]node_modules[/\\]\.bin$/.test(folder);
  const own = pathFolders(cwd, env).filter((folder) => isModules(folder) || isInside(cwd, folder));
  const folders = new Set([join(cwd, "node_modules", ".bin"), ...own, join(cwd, ".venv", "bin")]);
  const found: string[] = [];
  for (const folder of folders) {
    for (const name of WELL_KNOWN.split(" ")) {
      const program = await findProgram(join(folder, name), cwd, env);
      if (program === null) continue;
      if (!isModules(folder) && !isInside(cwd, program.file)) continue;
      found.push(name, (await fileDigest(program.file)) ?? "");
    }
  }
  return digestOf(...found);
}
