import {
  ActionName,
  DevelopTask,
  LoopState,
  LoopStatus,
  Outcome,
  Receipt,
  TestCounts,
  Usage,
  Waiting,
} from "@ccw-loop/core";
import { z } from "zod";

const Guard = z.strictObject({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});

/** How a loop stands: `run`, `resume`, `watch`, and the commands that steer. */
const outcome = {
  loop_id: z.string(),
  title: z.string(),
  status: LoopStatus,
  outcome: Outcome.nullable(),
  waiting: Waiting.nullable(),
  exit_code: z.int(),
  iteration: z.number(),
  max_iterations: z.number(),
  tasks: z.strictObject({ total: z.int(), completed: z.int() }),
  receipt: Receipt.nullable(),
  files_changed: z.array(z.string()),
  usage: Usage.nullable(),
  state_file: z.string(),
  next: z.array(z.string()).min(1),
};
const Driven = z.strictObject(outcome);
const Sent = z.strictObject({ ...outcome, driven_by: z.string().nullable() });
const Tasks = z.strictObject({ loop_id: z.string(), tasks: z.array(DevelopTask) });
const Setting = z.strictObject({
  value: z.union([z.string(), z.number(), z.null()]),
  origin: z.string(),
});

/** The `data` of every command's document. */
export const DOCUMENTS = {
  run: Driven,
  watch: Driven,
  resume: z.union([Driven, Sent]),
  pause: Sent,
  stop: Sent,
  exit: Sent,
  answer: Sent,
  demo: z.strictObject({ ...outcome, project: z.string(), loop_files: z.array(z.string()) }),
  list: z.strictObject({
    total: z.int(),
    damaged: z.array(z.strictObject({ id: z.string(), reason: z.string() })),
    loops: z.array(
      z.strictObject({
        loop_id: z.string(),
        title: z.string(),
        status: LoopStatus,
        action: ActionName.nullable(),
        iteration: z.number(),
        max_iterations: z.number(),
        tests: TestCounts.nullable(),
        outcome: Outcome.nullable(),
        waiting: Waiting.nullable(),
        created_at: z.iso.datetime(),
        updated_at: z.iso.datetime(),
      }),
    ),
  }),
  show: z.union([
    z.strictObject({ loop: LoopState, state_file: z.string() }),
    z.strictObject({ loop_id: z.string(), receipt: Receipt.nullable() }),
  ]),
  why: z.strictObject({
    loop_id: z.string(),
    action: ActionName.nullable(),
    rule: z.int(),
    reason: z.string(),
    guards: z.array(Guard).min(1),
    driven_by: z.string().nullable(),
  }),
  logs: z.strictObject({
    loop_id: z.string(),
    activity: z.array(z.looseObject({ at: z.iso.datetime(), action: ActionName })),
  }),
  delete: z.strictObject({ loop_id: z.string(), deleted: z.boolean() }),
  recover: z.strictObject({
    loop_id: z.string(),
    recovered: z.boolean(),
    source: z.enum(["journal", "documents"]),
    state: LoopState,
    unknown: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  "tasks list": Tasks,
  "tasks add": Tasks,
  "tasks edit": Tasks,
  "tasks remove": Tasks,
  "tasks reorder": Tasks,
  doctor: z.strictObject({
    ok: z.boolean(),
    findings: z.array(
      z.strictObject({
        check: z.string(),
        status: z.enum(["ok", "note", "problem"]),
        message: z.string(),
        next: z.string().nullable(),
      }),
    ),
  }),
  "config show": z.strictObject({
    settings: z.record(z.string(), Setting),
    files: z.strictObject({ project: z.string(), user: z.string() }),
    warnings: z.array(z.string()),
  }),
  completion: z.strictObject({ shell: z.string(), script: z.string() }),
} as const;

type CommandName = keyof typeof DOCUMENTS;

/** The data of the one document that `out` holds. Throws when it is anything else. */
export function documentIn<C extends CommandName>(
  command: C,
  out: string,
): z.infer<(typeof DOCUMENTS)[C]> {
  const envelope = z.strictObject({
    schema_version: z.literal(1),
    command: z.literal(command),
    data: z.unknown(),
  });
  const { data } = envelope.parse(JSON.parse(out));
  return DOCUMENTS[command].parse(data) as z.infer<(typeof DOCUMENTS)[C]>;
}
