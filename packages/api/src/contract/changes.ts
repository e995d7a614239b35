import { Limits, LoopCommand, LoopEdit } from "@ccw-loop/core";
import { z } from "zod";

const NAMES = Object.keys(Limits.shape).join(", ");

/** Bounds as a request may name them: one that is misspelt would be one that does not hold. */
const KnownLimits = z.strictObject(Limits.shape, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `limits cannot have ${JSON.stringify(issue.keys[0])}: use ${NAMES}.`
      : undefined,
});

/** What a request may change about a loop. */
export const Changes = LoopEdit.extend({ limits: KnownLimits.optional() });

const [start, pause, resume, stop, exit, edit, ...others] = LoopCommand.options;

/** The commands of core, strict about bounds. */
export const Command = z.discriminatedUnion("type", [
  start,
  pause,
  resume.extend({ changes: Changes.optional() }),
  stop,
  exit,
  edit.extend({ changes: Changes }),
  ...others,
]);
