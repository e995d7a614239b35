import {
  ActionName,
  DevelopTask,
  Limits,
  LoopState,
  LoopStatus,
  Objection,
  Outcome,
  PortableReceipt,
  Receipt,
  Square,
  TestCounts,
  Usage,
  Waiting,
} from "@ccw-loop/core";
import { REPORT_FORMATS } from "@ccw-loop/view";
import { z } from "zod";

const Guard = z.strictObject({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});

const client = {
  name: z.string(),
  role: z.enum(["operator", "reader"]),
  projects: z.array(z.string()).nullable(),
};

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
  objections: z.array(Objection),
  files_changed: z.array(z.string()),
  usage: Usage.nullable(),
  worktree: z.strictObject({ path: z.string(), branch: z.string() }).nullable(),
  state_file: z.string(),
  next: z.array(z.string()).min(1),
};
const Driven = z.strictObject(outcome);
const Sent = z.strictObject({ ...outcome, driven_by: z.string().nullable() });
const Tasks = z.strictObject({ loop_id: z.string(), tasks: z.array(DevelopTask) });
const Setting = z.strictObject({
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  origin: z.string(),
});

const FindingShown = z.strictObject({
  check: z.string(),
  status: z.enum(["ok", "note", "problem"]),
  message: z.string(),
  next: z.string().nullable(),
});

/** With --dry-run. */
const Dry = z.strictObject({
  loop_id: z.string(),
  action: ActionName.nullable(),
  reason: z.string(),
  commands: z.array(z.strictObject({ task_id: z.string(), command: z.string() })),
});

/** The `data` of every command's document. */
const Supervised = z.strictObject({
  driven: z.array(z.string()),
  given_back: z.array(z.string()),
});

export const DOCUMENTS = {
  run: Driven,
  watch: Driven,
  resume: z.union([Driven, Sent, Dry]),
  start: Sent,
  "store status": z.strictObject({
    kind: z.enum(["files", "module", "database"]),
    place: z.string(),
    ready: z.boolean(),
    schema: z.string().optional(),
    version: z.int().optional(),
    needs: z.int().optional(),
    server: z.string().optional(),
    read_only: z.boolean().optional(),
    synchronous_commit: z.string().optional(),
  }),
  "store migrate": z.strictObject({
    from: z.int(),
    to: z.int(),
    granted_to: z.string().nullable(),
  }),
  migrate: z.strictObject({
    dry_run: z.boolean(),
    loops: z.array(
      z.strictObject({
        loop_id: z.string(),
        title: z.string(),
        status: LoopStatus,
        tasks: z.int(),
      }),
    ),
    failed: z.array(z.strictObject({ id: z.string(), reason: z.string() })),
  }),
  export: z.strictObject({
    file: z.string(),
    exported: z.array(z.string()),
    failed: z.array(z.strictObject({ id: z.string(), reason: z.string() })),
  }),
  import: z.strictObject({
    file: z.string(),
    made: z.array(z.string()),
    there: z.array(z.string()),
    failed: z.array(z.strictObject({ id: z.string(), reason: z.string() })),
  }),
  supervise: Supervised,
  worker: Supervised,
  serve: z.strictObject({
    url: z.url(),
    driven: z.array(z.string()),
    given_back: z.array(z.string()),
  }),
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
        undriven_since: z.iso.datetime().nullable(),
        created_at: z.iso.datetime(),
        updated_at: z.iso.datetime(),
      }),
    ),
  }),
  show: z.union([
    z.strictObject({
      loop: LoopState,
      limits: Limits.extend({ max_iterations: z.number() }).strict(),
      scope: z
        .strictObject({
          owed: z.array(z.string()),
          known_red: z.array(z.string()),
          set_aside: z.array(z.string()),
        })
        .nullable(),
      objections: z.array(Objection),
      driven_by: z.string().nullable(),
      undriven_since: z.iso.datetime().nullable(),
      state_file: z.string(),
    }),
    z.strictObject({ loop_id: z.string(), receipt: Receipt.nullable() }),
  ]),
  why: z.strictObject({
    asks: z.literal("no_progress").optional(),
    loop_id: z.string(),
    action: ActionName.nullable(),
    rule: z.int(),
    reason: z.string(),
    guards: z.array(Guard).min(1),
    objections: z.array(Objection),
    driven_by: z.string().nullable(),
    undriven_since: z.iso.datetime().nullable(),
  }),
  logs: z.strictObject({
    loop_id: z.string(),
    activity: z.array(z.looseObject({ at: z.iso.datetime(), action: ActionName })),
  }),
  replay: z.strictObject({ ...outcome, project: z.string() }),
  report: z.strictObject({
    loop_id: z.string(),
    format: z.enum(REPORT_FORMATS),
    report: z.string(),
  }),
  receipt: z.strictObject({ loop_id: z.string(), receipt: PortableReceipt }),
  verify: z.union([
    z.strictObject({
      loop_id: z.string().optional(),
      file: z.string().optional(),
      result: z.enum(["stands", "falls", "unknown"]),
      receipt: Receipt,
      problems: z.array(
        z.strictObject({
          kind: z.enum(["receipt", "tree", "result", "missing"]),
          message: z.string(),
          details: z.array(z.string()),
        }),
      ),
      square: Square.nullable(),
    }),
    z.strictObject({
      loop_id: z.string().optional(),
      file: z.string().optional(),
      interrupted: z.string(),
    }),
  ]),
  timeline: z.strictObject({
    loop_id: z.string(),
    checkpoints: z.array(z.int()),
    timeline: z.array(
      z.strictObject({
        checkpoint: z.int().nullable(),
        action: ActionName.nullable(),
        at: z.iso.datetime(),
        outcome: z.enum(["completed", "failed", "interrupted", "outside"]),
        message: z.string(),
        task_id: z.string().nullable(),
        active_ms: z.number(),
        tokens: z.number(),
        turns: z.int(),
        diffstat: z.strictObject({ files: z.int(), added: z.int(), removed: z.int() }).nullable(),
        tests: TestCounts.extend({ passed_overall: z.boolean() }).nullable(),
        rewound: z.boolean(),
      }),
    ),
  }),
  diff: z.strictObject({
    loop_id: z.string(),
    from: z.int(),
    to: z.int(),
    files: z.array(
      z.strictObject({
        path: z.string(),
        kind: z.enum(["added", "modified", "deleted"]),
        added: z.int().nullable(),
        removed: z.int().nullable(),
      }),
    ),
    patch: z.string(),
  }),
  rewind: z.strictObject({
    ...outcome,
    checkpoint: z.int(),
    kept: z.string().nullable(),
    left: z.array(z.string()),
  }),
  fork: z.strictObject({
    ...outcome,
    forked_from: z.strictObject({ loop_id: z.string(), checkpoint: z.int() }),
  }),
  clean: z.strictObject({
    dry_run: z.boolean(),
    worktrees: z.array(
      z.strictObject({
        id: z.string(),
        path: z.string(),
        top: z.string(),
        branch: z.string(),
        bytes: z.number(),
        dirty: z.boolean(),
        made_at: z.iso.datetime().nullable(),
        status: LoopStatus.nullable(),
        removed: z.boolean(),
        reason: z.string().nullable(),
      }),
    ),
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
  "tasks import": Tasks,
  "tasks generate": Tasks,
  doctor: z.strictObject({
    ok: z.boolean(),
    findings: z.array(FindingShown),
    processes: z.strictObject({
      found: z.array(
        z.strictObject({
          scope: z.strictObject({ loop: z.string(), epoch: z.int() }).nullable(),
          command: z.string(),
          started_at: z.string().nullable(),
          pids: z.array(z.int()),
          owner_pid: z.int(),
          reason: z.enum(["owner_gone", "superseded"]),
        }),
      ),
      reaped: z.boolean(),
    }),
  }),
  "agents list": z.strictObject({
    agents: z.array(
      z.strictObject({
        ...{ name: z.string(), describe: z.string(), ok: z.boolean() },
        version: z.string().nullable(),
        notes: z.array(z.string()),
        login_tried: z.boolean(),
        problems: z.array(z.string()),
      }),
    ),
  }),
  "agents test": z.strictObject({
    ok: z.boolean(),
    driver: z.string(),
    version: z.string().nullable(),
    trials: z.array(
      z.strictObject({
        ...{ what: z.string(), seen: z.string(), needed: z.boolean(), ms: z.number() },
        holds: z.boolean().nullable(),
      }),
    ),
  }),
  init: z.strictObject({
    project: z.string(),
    files: z.array(
      z.strictObject({
        path: z.string(),
        done: z.enum(["made", "changed", "kept"]),
        message: z.string(),
      }),
    ),
    findings: z.array(FindingShown),
  }),
  "config show": z.strictObject({
    settings: z.record(z.string(), Setting),
    webhooks: z.array(
      z.strictObject({
        ...{ name: z.string(), format: z.string(), states: z.array(z.string()) },
        ...{ host: z.string().nullable(), signed: z.boolean(), problem: z.string().nullable() },
      }),
    ),
    files: z.strictObject({ project: z.string(), user: z.string() }),
    warnings: z.array(z.string()),
  }),
  "config test-webhook": z.strictObject({
    ...{ webhook: z.string(), host: z.string() },
    ...{ delivered: z.boolean(), reason: z.string().nullable() },
  }),
  "token add": z.strictObject({ ...client, token: z.string() }),
  "token list": z.strictObject({
    clients: z.array(z.strictObject({ ...client, made_at: z.string() })),
    folder: z.string(),
  }),
  "token rotate": z.strictObject({ name: z.string(), token: z.string() }),
  "token revoke": z.strictObject({ name: z.string() }),
  completion: z.strictObject({ shell: z.string(), script: z.string() }),
  __complete: z.strictObject({
    candidates: z.array(z.strictObject({ value: z.string(), description: z.string() })),
  }),
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
