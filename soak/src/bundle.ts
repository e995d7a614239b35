import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { removeFolder, temporaryFolder } from "./temporary.ts";

/** The worker program as few files as one process needs to read. */
export interface Bundle extends Disposable {
  /** To be run by node, with the role and the task as arguments. */
  program: string;
}

/** A process is killed most often before it is a second old, so it must not take half of one to start. */
export async function bundleWorker(): Promise<Bundle> {
  const folder = temporaryFolder("soak-program");
  const made = await rolldown({
    input: { worker: join(import.meta.dirname, "worker.ts") },
    platform: "node",
  });
  await made.write({ dir: folder, format: "esm", minify: false });
  await made.close();
  const program = join(folder, "main.mjs");
  writeFileSync(
    program,
    `import { enableCompileCache } from "node:module";\nenableCompileCache(${JSON.stringify(join(folder, "cache"))});\nawait import("./worker.js");\n`,
  );
  return {
    program,
    [Symbol.dispose]: () => removeFolder(folder),
  };
}
