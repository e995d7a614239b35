import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** What the file store is tried with by itself. */
export const STORE_RUNS = ["foreign", "readers", "winners"] as const;
type StoreRun = (typeof STORE_RUNS)[number];

/** Answers with the exit code of the run, which prints its own last line. */
export function runStore(name: StoreRun, count: number): number {
  const folder = join(import.meta.dirname, "../../packages/store-fs/bench/soak");
  const args = [join(folder, `${name}.ts`), String(count)];
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
}
