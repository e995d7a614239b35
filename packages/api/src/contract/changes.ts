import { Limits, LoopCommand, LoopEdit, TaskEdit } from "@ccw-loop/core";
import { z } from "zod";
import { exact } from "./exact.ts";

/** What a request may change about a loop. The settings may be those of other programs, too. */
export const Changes = exact({
  ...LoopEdit.shape,
  limits: exact(Limits.shape).optional(),
});

const [start, pause, resume, stop, exit, edit, choose, answer, add, editTask, remove, reorder] =
  LoopCommand.options;

/** The commands of core, without names that they do not know. */
export const Command = z.discriminatedUnion("type", [
  exact(start.shape),
  exact(pause.shape),
  exact({ ...resume.shape, changes: Changes.optional() }),
  exact(stop.shape),
  exact(exit.shape),
  exact({ ...edit.shape, changes: Changes }),
  exact(choose.shape),
  exact(answer.shape),
  exact(add.shape),
  exact({ ...editTask.shape, changes: exact(TaskEdit.shape) }),
  exact(remove.shape),
  exact(reorder.shape),
]);
