import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { LoopError, systemShortage } from "@ccw-loop/core";
import { realPath } from "../plain-file.ts";
import { ownProgram } from "../programs.ts";
import { bubblewrapArguments, type Containment, mayWrite } from "./mounts.ts";

const PROGRAM = "bwrap";
/** On a machine that has much to do. */
const PATIENCE_MS = 30_000;
/** Nothing but what the system has to allow for any containment. */
const ANY: Containment = { cwd: "/", writable: [], readable: [], emptied: [], hidden: [] };
/** Root has no rights in there over what belongs to others, and anybody's folder may be closed. */
const CAN_WORK = '[ -w . ] || { echo "$PWD cannot be written to in it" >&2; exit 1; }';

/** The program that contains others here, or why there is none that does, as a sentence. */
export type Bubblewrap = { file: string } | { problem: string };

/** Those that worked: one that fails later was disturbed, and is no reason to work without it. */
const worked = new Set<string>();

/**
 * Finds bubblewrap on `path` and tries it: it may be there and be refused by the system. What the contained program could
 * change has no part in that: one that lies in the folders `theirs` is not believed. Rejects where it gives no answer.
 */
export async function findBubblewrap(path: string, theirs: readonly string[]): Promise<Bubblewrap> {
  const file = ownProgram(PROGRAM, path, [...theirs, ...theirs.map(realPath)]);
  if (file === null) {
    const where = process.platform === "linux" ? "Install it" : "It is there for Linux alone";
    return { problem: `There is no bubblewrap (${PROGRAM}) on PATH. ${where}.` };
  }
  if (worked.has(file)) return { file };
  const complaint = await complaintAbout(file, ANY, ":");
  if (complaint !== null) return { problem: `${file} does not work here: ${complaint}.` };
  worked.add(file);
  return { file };
}

/** Why a program cannot work so contained, in a few words; null where it can. Rejects where there is no answer. */
export function mountProblem(bubblewrap: string, containment: Containment): Promise<string | null> {
  const tried = mayWrite(containment, containment.cwd) ? CAN_WORK : ":";
  return complaintAbout(bubblewrap, containment, tried);
}

/** Runs one command contained, with nothing in its environment but PATH. Rejects like `execFile`. */
export async function runContained(
  bubblewrap: string,
  containment: Containment,
  command: readonly string[],
): Promise<string> {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const options = { timeout: PATIENCE_MS, env, cwd: "/" };
  const args = bubblewrapArguments(containment, command);
  return (await promisify(execFile)(bubblewrap, args, options)).stdout;
}

async function complaintAbout(
  bubblewrap: string,
  containment: Containment,
  script: string,
): Promise<string | null> {
  try {
    await runContained(bubblewrap, containment, ["/bin/sh", "-c", script]);
    return null;
  } catch (cause) {
    const shortage = systemShortage(cause);
    if (shortage) throw shortage;
    const { killed = false, stderr = "" } = cause as { killed?: boolean; stderr?: string };
    if (killed) {
      const message = `${bubblewrap} gave no answer within ${PATIENCE_MS / 1000} s. Try again when the machine has less to do.`;
      throw new LoopError("sandbox_unavailable", message, { cause });
    }
    const said = stderr.trim() === "" && cause instanceof Error ? cause.message : stderr.trim();
    return (said.split("\n")[0] ?? "").replace(/^bwrap: /, "").replace(/\.$/, "");
  }
}

/** Bubblewrap's own complaint, which is all that there is of a command that could not be contained; else null. */
export function bubblewrapError(exitCode: number | null, output: string): string | null {
  const [line = ""] = output.split("\n", 1);
  return exitCode !== 0 && line.startsWith("bwrap: ") ? line : null;
}
