import { availableParallelism, cpus, release, type as system, tmpdir, totalmem } from "node:os";

/** The machine in one line. */
export function machine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${memory} GB, ${system()} ${release()}, Node ${process.versions.node}, files in ${tmpdir()}`;
}
