import fc from "fast-check";
import { expect, test } from "vitest";
import {
  Baseline,
  Checkpoint,
  evolve,
  Hypothesis,
  type LoopEvent,
  LoopEvent as LoopEventSchema,
  PROGRESS_FILES,
  progressFilesChangedBy,
  renderProgress,
} from "../src/index.ts";
import {
  AT,
  created,
  debugged,
  developed,
  done,
  failed,
  initialized,
  loop,
  started,
  state,
  task,
  validated,
} from "./given.ts";

const outcome = { code: "c", message: "m" };
const tokens = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1, total_tokens: 2e7 };
const begun = state(created(), started, initialized("a", "b"));

const idea = Hypothesis.parse({ id: "H1", description: "d", evidence: { seen: 1 } });

const baseline = Baseline.parse({
  ...{ at: AT, tree: "t", command: "npm test", reason: "1 test passed." },
  counts: { total: 1, passed: 1, failed: 0, skipped: 0 },
});
const checkpoint = Checkpoint.parse({ n: 0, at: AT, action: null, commit: "c", tree: "t" });

/** At least one event of every type. */
const EVENTS: LoopEvent[] = [
  created(),
  started,
  { type: "loop.paused", at: AT },
  { type: "loop.resumed", at: AT, reopened: true },
  { type: "loop.stopped", at: AT },
  { type: "loop.exited", at: AT },
  { type: "loop.edited", at: AT, changes: { title: "new", description: "new", max_iterations: 3 } },
  { type: "loop.edited", at: AT, changes: { settings: { mode: "interactive" } } },
  { type: "loop.completed", at: AT, outcome },
  { type: "loop.failed", at: AT, outcome },
  { type: "task.added", at: AT, task: task("c") },
  { type: "task.edited", at: AT, task_id: "a", changes: { description: "other" } },
  { type: "task.removed", at: AT, task_id: "b" },
  { type: "tasks.reordered", at: AT, task_ids: ["b", "a"] },
  { type: "action.chosen", at: AT, action: "VALIDATE" },
  { type: "action.started", at: AT, action: "DEVELOP", attempt: 1, task_id: "a", tree: "t" },
  { type: "action.interrupted", at: AT, action: "DEVELOP", reason: "pause", active_ms: 2e7 },
  initialized("a", "b", "c"),
  developed("a"),
  developed("b"),
  debugged({ fix_tasks: [task("fix", { fixes: "a" })], files_changed: ["x"], hypotheses: [idea] }),
  validated(true),
  validated(false),
  done({ action: "COMPLETE", summary: { duration: 5 } }),
  done({ action: "MENU" }),
  { ...failed("DEVELOP", "a"), files_changed: ["x"] } as LoopEvent,
  failed("DEBUG"),
  { type: "agent.attached", at: AT, driver: "codex", session_id: "s" },
  { type: "agent.limited", at: AT, agent: "codex", until: AT },
  {
    type: "evidence.recorded",
    at: AT,
    hypotheses: [{ ...idea, id: "H2", status: "inconclusive" }],
  },
  { type: "turn.measured", at: AT, ...tokens },
  { type: "turn.completed", at: AT, ...tokens },
  { type: "waiting.started", at: AT, waiting: { kind: "input", since: AT } },
  { type: "waiting.ended", at: AT, reason: "r" },
  { type: "workspace.measured", at: AT, tree: "tree-9" },
  {
    type: "workspace.changed",
    at: AT,
    ...{ from: "tree-8", tree: "tree-9", start: null },
    ...{ files: [{ path: "x", kind: "modified" }], total: 1, driven: true, outdates: true },
  },
  { type: "files.left_out", at: AT, files: [{ path: "x", why: "output" }], tree: "tree-9" },
  { type: "baseline.measured", at: AT, baseline },
  { type: "checkpoint.made", at: AT, checkpoint },
  { type: "objections.accepted", at: AT, keys: ["k"] },
  { type: "worktree.made", at: AT, path: "/w", branch: "b" },
  { type: "loop.rewound", at: AT, to: 0, state: begun },
  { type: "workspace.restored", at: AT, tree: "t" },
  { type: "receipt.refused", at: AT, reason: "No seal." },
  { type: "external.edited", at: AT, state: begun },
  { type: "loop.recovered", at: AT, state: loop(), unknown: [] },
];

test("an event of every type is here", () => {
  const types = new Set(LoopEventSchema.unwrap().options.map((option) => option.shape.type.value));
  expect(new Set(EVENTS.map((event) => event.type))).toEqual(types);
});

test("no document changes that an event does not name", () => {
  const histories = fc.array(fc.nat(EVENTS.length - 1), { minLength: 1, maxLength: 25 });
  const summary = EVENTS.findIndex((e) => e.type === "action.completed" && e.action === "COMPLETE");
  const passed = EVENTS.findIndex((e) => e.type === "action.completed" && e.action === "VALIDATE");
  const event = (type: LoopEvent["type"]) => EVENTS.findIndex((e) => e.type === type);
  const examples: [number[]][] = [
    [[event("loop.created"), event("action.completed")]],
    [[passed, event("workspace.measured")]],
    [[summary, event("turn.completed")]],
    [[event("loop.completed"), passed, event("loop.resumed")]],
  ];
  const changedBy = new Map<string, Set<string>>();
  fc.assert(
    fc.property(histories, (picks) => {
      let now = state(created(), started, initialized("a", "b"));
      let files = renderProgress(now);
      picks.forEach((pick, i) => {
        const at = new Date(Date.parse(AT) + (i + 1) * 1000).toISOString();
        const event = { ...(EVENTS[pick] ?? started), at };
        now = evolve(now, event);
        const next = renderProgress(now);
        const changed = PROGRESS_FILES.filter((name) => next[name] !== files[name]);
        expect(progressFilesChangedBy(event), event.type).toEqual(expect.arrayContaining(changed));
        changedBy.set(event.type, new Set([...(changedBy.get(event.type) ?? []), ...changed]));
        files = next;
      });
    }),
    { numRuns: 200, examples },
  );
  // The histories did reach the documents, so the property above says something.
  expect(changedBy.get("action.completed")?.size).toBe(PROGRESS_FILES.length);
  expect(changedBy.get("workspace.measured")).toContain("validate.md");
  expect(changedBy.get("turn.completed")).toContain("summary.md");
});
