import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from "node:os";

/** The machine in one line, with its load now; `folder` is where the files of the run are. */
export function machine(folder = tmpdir()): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"})`;
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1);
  return `${cores}, ${memory} GB, ${type()} ${release()}, Node ${process.versions.node}, load ${load}, files in ${folder}`;
}

/** The sample below which `share` (0 to 1) of all samples lie; NaN without samples. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** `p50 12 ms, p99 31 ms`, with so many digits behind the point. */
export function percentiles(samples: readonly number[], digits = 0): string {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(samples, share).toFixed(digits));
  return `p50 ${p50} ms, p99 ${p99} ms`;
}

/** Resident memory of a process in MB (proc_pid_status(5)). */
export function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1000);
}

/** CPU time that a process has used, in ms (proc_pid_stat(5): utime and stime in ticks of 10 ms). */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Milliseconds that the work took. */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
