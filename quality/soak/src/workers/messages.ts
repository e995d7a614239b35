import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { LoopEvent } from "@ccw-loop/core";

/** What a process says to the one that started it, a line of JSON each, through its file descriptor 3. */
export type WorkerMessage =
  /** It is about to do this: the moment to be killed at. */
  | { kind: "mark"; mark: Mark; loop?: string | undefined }
  /** It was given the lease of a loop. */
  | { kind: "lease"; loop: string }
  /** A commit that it was about to make is made or refused. */
  | { kind: "settled" }
  /** The promise of this commit has resolved. */
  | { kind: "commit"; loop: string; revision: number; facts: string }
  /** Its store repaired something, kept it aside, or could not publish. */
  | { kind: "warning"; message: string }
  | {
      kind: "full-disk";
      acknowledged: number;
      lost: string[];
      done: number;
      /** By what met the full disk. */
      refused: Record<DiskUser, number>;
      problems: string[];
    }
  /** It has read so many files, and these not. */
  | { kind: "read"; files: number; problems: string[] };

/** Who meets a full disk. */
export type DiskUser = "commands" | "driven loop" | "command line";

/** A process of the agent works when its first output is there. */
export const MARKS = ["start", "claim", "commit", "turn", "work"] as const;
export type Mark = (typeof MARKS)[number];
export type Send = (message: WorkerMessage) => void;

/** Written before the next statement runs: no message is lost with the process. */
export const sendToParent: Send = (message) => {
  writeSync(3, `${JSON.stringify(message)}\n`);
};

/** For a process that was started by nobody. */
export const sendNothing: Send = () => undefined;

/** The content of a commit in short. */
export function factsOf(events: readonly unknown[]): string {
  const text = JSON.stringify(events.map((event) => LoopEvent.parse(event)));
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
