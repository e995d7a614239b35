import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, release, type as system, totalmem } from "node:os";
import { environment } from "./environment.ts";

const OUTPUT_MS = 120_000;

/** The machine in one line. */
export function machine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${memory} GB, ${system()} ${release()}, Node ${process.versions.node}`;
}

/** The exit code of a shell command; null when it took too long. */
export function exitOf(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv = environment(),
  timeout = 180_000,
): number | null {
  try {
    execFileSync("/bin/sh", ["-c", command], { cwd, env, stdio: "pipe", timeout });
    return 0;
  } catch (error) {
    const { status } = error as { status?: number | null };
    return status ?? null;
  }
}

/** What a shell command prints, without white space around it; empty where it fails. */
export function outputOf(command: string, cwd: string): string {
  try {
    return execFileSync("/bin/sh", ["-c", command], {
      ...{ cwd, env: environment(), timeout: OUTPUT_MS, encoding: "utf8" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
