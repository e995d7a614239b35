import { existsSync } from "node:fs";
import { isLoopError, LoopError, systemAdvice, systemFailure } from "@ccw-loop/core";
import { type RawPath, textOf } from "../raw-path.ts";

/** How git puts what the system told it, and the system's own code. */
const SYSTEM_ERRORS: readonly [RegExp, string][] = [
  [/No space left on device/i, "ENOSPC"],
  [/Disk quota exceeded/i, "EDQUOT"],
  [/insufficient permission|Permission denied/i, "EACCES"],
  [/Read-only file system/i, "EROFS"],
  [/Too many open files in system/i, "ENFILE"],
  [/Too many open files/i, "EMFILE"],
  [/Resource temporarily unavailable/i, "EAGAIN"],
  [/Cannot allocate memory|out of memory/i, "ENOMEM"],
  [/Input\/output error/i, "EIO"],
];
const WRITING = ["ENOSPC", "EDQUOT", "EACCES", "EROFS"];
const NO_REPOSITORY = /not a git repository|must be run in a work tree/;

interface Ended {
  exitCode?: number | undefined;
  signal?: string | undefined;
  stderr: string;
}

/** What a git command that failed means for the caller. */
export function gitFailure(args: readonly string[], cwd: string, ended: Ended): LoopError {
  const { exitCode = null, signal, stderr } = ended;
  const details = { args: args.slice(0, 20), exit_code: exitCode, stderr: stderr.slice(0, 2000) };
  const code = SYSTEM_ERRORS.find(([words]) => words.test(stderr))?.[1];
  if (code !== undefined && WRITING.includes(code)) {
    const message = `Cannot write to the repository at ${cwd}; no checkpoint was made. ${systemAdvice(code)}`;
    return new LoopError("store_unavailable", message, { details });
  }
  const command = `git ${args[0]}`;
  if (code !== undefined) {
    const message = `${command} failed in ${cwd}. ${systemAdvice(code)}`;
    return new LoopError("system_unavailable", message, { details });
  }
  if (NO_REPOSITORY.test(stderr)) {
    const message = `The git repository of ${cwd} is gone: its .git folder is missing or damaged. Put it back, then try again.`;
    return new LoopError("workspace_unavailable", message, { details: { ...details, ...NONE } });
  }
  const how =
    signal === undefined ? (gitMessage(stderr) ?? `exit code ${exitCode}`) : `ended by ${signal}`;
  const message = `${command} failed in ${cwd}: ${how}. Check the repository with: git -C ${cwd} fsck`;
  return new LoopError("workspace_unavailable", message, { details });
}

/** What marks the failures that say: there is no repository, or no git. */
const NONE = { repository: "none" } as const;

/** Whether git said that there is no repository here, or there is no git. */
export function isNoRepository(error: unknown): boolean {
  return (
    isLoopError(error, "workspace_unavailable") && error.details.repository === NONE.repository
  );
}

/** Whether git ran in a repository and refused what it was asked for. */
export function isGitRefusal(error: unknown): boolean {
  return isLoopError(error, "workspace_unavailable") && !isNoRepository(error);
}

/** Why git could not even be started. */
export function gitNotStarted(cwd: string, cause: unknown): LoopError {
  const failure = systemFailure(cause);
  if (failure && failure.details.code !== "ENOENT") return failure;
  if (!existsSync(cwd)) {
    const message = `The folder ${cwd} is gone. Put it back, then try again.`;
    return new LoopError("workspace_unavailable", message, { cause, details: NONE });
  }
  const message = "git is not installed, or not in PATH. Install it, then try again.";
  return new LoopError("workspace_unavailable", message, { cause, details: NONE });
}

/** Git did not answer for so long. */
export function gitSilent(args: readonly string[], cwd: string, ms: number): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `git ${args[0]} did not answer for ${ms / 1000} s in ${cwd}. Look for pipes and links in its .git folder, then try again.`,
    { details: { args: args.slice(0, 20) } },
  );
}

/** Git's own reason among what it wrote, where there is one. */
function gitMessage(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const reason = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1);
  return reason?.replace(/\.$/, "");
}

/** A file that is not what it was while it was read or kept. */
export function changedMeanwhile(path: RawPath): LoopError {
  return new LoopError(
    "workspace_changed",
    `${textOf(path)} changed while it was read. Stop what writes it, and try again.`,
  );
}

/** A path that leads through a link or a file. */
export function unsafePath(top: string, path: RawPath): LoopError {
  return new LoopError(
    "unsafe_path",
    `${textOf(path)} in ${top} is a link or a file where a folder is needed. Remove it and try again.`,
  );
}

/** Why a file could not be written or removed, for people. */
export function unwritable(error: unknown, file: Buffer): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (isLoopError(error) || code === undefined) return error;
  return new LoopError(
    "store_unavailable",
    `${file.toString("utf8")} cannot be written (${code}). ${systemAdvice(code)}`,
    { cause: error },
  );
}
