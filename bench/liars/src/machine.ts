import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { availableParallelism, cpus, release, type as system, totalmem } from "node:os";
import { join } from "node:path";
import type { Play } from "./case.ts";
import { environment } from "./environment.ts";
import { prepare } from "./prepare.ts";

const ORACLE_MS = 120_000;

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
      ...{ cwd, env: environment(), timeout: ORACLE_MS, encoding: "utf8" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

/** Why a project cannot be played on this machine; undefined when it can: its repaired tests run and pass. */
export async function whatIsMissing(play: Play, root: string): Promise<string | undefined> {
  const { needs, test } = play.project;
  if (exitOf(needs, root, environment(), 30_000) !== 0) return `\`${needs}\` fails here`;
  const folder = join(root, `look-${play.case.project}`);
  mkdirSync(folder);
  await prepare({ ...play, case: { ...play.case, before: ["fix"], git: false } }, folder);
  if (exitOf(test, folder) === 0) {
    return outputOf(play.project.oracle, folder) === "250"
      ? undefined
      : `\`${play.project.oracle}\` does not print 250 here, even on repaired files`;
  }
  return `\`${test}\` fails here, even on repaired files`;
}
