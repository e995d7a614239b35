import { readFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";

export function machine(): string {
  const load = loadavg()[0]?.toFixed(1);
  return `machine: ${cpus().length} × ${cpus()[0]?.model}, Linux ${release()}, Node ${process.version}, load ${load}`;
}

/** `p50 12 ms, p99 31 ms`. */
export function percentiles(samples: readonly number[]): string {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return `p50 ${at(0.5)?.toFixed(0)} ms, p99 ${at(0.99)?.toFixed(0)} ms`;
}

export function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
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
