import { spawnSync } from "node:child_process";
import { LoopError, systemShortage } from "@ccw-loop/core";

/** A first word that names a program and nothing else: no assignment, no quotes, no shell syntax. */
const PLAIN_WORD = /^[A-Za-z0-9_./+-]+$/;

/**
 * Throws `verify_unavailable` when the shell knows no program, builtin or function for the command's first
 * word: a missing tool is no failed test, and no agent can repair it.
 */
export function requireProgram(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): void {
  const word = command.trim().split(/\s/, 1)[0] ?? "";
  if (word === "") {
    throw new LoopError("verify_unavailable", "The test command is empty. Name one with --verify.");
  }
  if (process.platform === "win32" || !PLAIN_WORD.test(word)) return;
  const found = spawnSync("/bin/sh", ["-c", 'command -v "$1"', "sh", word], {
    cwd,
    env,
    stdio: "ignore",
  });
  if (found.status === 0) return;
  const shortage = systemShortage(found.error);
  if (shortage) throw shortage;
  throw new LoopError(
    "verify_unavailable",
    found.error
      ? `The test command cannot be started in ${cwd}. Check that the folder exists.`
      : `The test command needs "${word}", which is not installed here. Install it, or name another test command: with --verify, and for a receipt with --command.`,
    { details: { command, program: word }, ...(found.error ? { cause: found.error } : {}) },
  );
}
