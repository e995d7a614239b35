import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import config from "../rolldown.config.ts";

const here = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the command line into `folder` as an installed package has it: bundled, with the published exports,
 * and without any node_modules. Answers with the path of its launcher.
 */
export async function builtCopy(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
  const published = { ...manifest, ...manifest.publishConfig };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify(published));
  for (const part of ["bin", "demo"])
    await cp(join(here, part), join(folder, part), { recursive: true });
  const output = { ...[config].flat()[0]?.output, dir: join(folder, "dist") };
  await build({ ...config, cwd: here, output, logLevel: "warn" });
  return join(folder, "bin", "ccw-loop.js");
}
