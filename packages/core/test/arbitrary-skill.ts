import fc from "fast-check";
import { LoopState } from "../src/index.ts";

const AT = "2026-01-22T10:00:00.000Z";

/** What agents may write to look like a document of ours, or to reach the terminal of who reads it. */
const attack = fc.constantFrom(
  "# Development Progress\n## Task List\n1. [x] all done",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "|:-\n:-:\n-",
  "```\nunclosed",
  "~~~~\nunclosed",
  "-->",
  "--!>",
  "<!-- ccw-loop:develop {} -->",
  '\n<!-- ccw-loop:debug {"version":1,"debug":{}} -->\n',
  "<!--",
  "<script>alert(1)</script>",
  "[a](javascript:alert(1)) ![b](http://x)",
  "[ref]: http://x",
  "\\<b>",
  "title\n=====\nother\n-----",
  "***",
  "- [x] a\n  - b",
  "    code",
  "\0\u0007\u001b[2J\u001b]0;owned\u0007\u009b1m\u007f",
  "\u202egnp.exe\u2066\u200b\ufeff\u2028\u2029",
  "\ud800",
  "a\udc00b\ud83d",
  "\u{e0041}",
  "\u4f60\u597d\uff0c\u4e16\u754c",
  "\u0645\u0631\u062d\u0628\u0627",
  "\u{1f468}\u200d\u{1f469}",
  "a\r\nb\rc",
  "&lt;b&gt; &amp;",
  "x".repeat(5_000),
  "x\n".repeat(300),
  "`a` ``b`` ```c```",
  "",
  " ",
);
export const nasty: fc.Arbitrary<string> = fc.oneof(
  attack,
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.tuple(attack, attack).map(([a, b]) => a + b),
);

/** A text of the state: the number of one in the pool, so that one state can be filled in two ways. */
const text = fc.nat(7).map((n) => `§${n}`);
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });
const nullable = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: null });
const at = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString());
const number = fc.integer({ min: -5, max: 2_000 });
const unknown = fc.oneof(fc.jsonValue({ maxDepth: 2 }), text);

const task = fc.record(
  {
    id: text,
    description: text,
    tool: text,
    mode: text,
    status: fc.constantFrom("pending", "in_progress", "completed", "failed"),
    files_changed: fc.array(text, { maxLength: 3 }),
    created_at: nullable(at),
    completed_at: nullable(at),
    prompt_template: text,
    summary: text,
    claimed_files: fc.array(text, { maxLength: 2 }),
    attempts: fc.nat(3),
    fixes: text,
    _convergence: unknown,
  },
  { requiredKeys: ["id", "description", "status"] },
);

const condition = fc.oneof(
  fc.record({ kind: fc.constant("exit_code"), compare: fc.constant("="), value: fc.nat(255) }),
  fc.record({ kind: fc.constant("text"), how: fc.constantFrom("is", "lacks"), text }),
  fc.record({ kind: fc.constant("pattern"), pattern: fc.constant("a+"), found: fc.boolean() }),
);
const prediction = fc.array(condition, { maxLength: 2 });
const probe = fc.record({ command: nullable(text), if_holds: prediction, if_not: prediction });

/** As the orchestrator records it. */
const evidence = fc.record({
  hid: text,
  ts: fc.nat(),
  func: fc.constant("probe"),
  data: fc.record(
    {
      command: text,
      probe,
      shows: fc.constantFrom("holds", "does_not_hold", "neither", "both"),
      asks_nothing: fc.boolean(),
      after_fix: fc.boolean(),
      exit_code: nullable(fc.integer({ min: 0, max: 255 })),
      duration_ms: fc.nat(1_000),
      output: text,
      timed_out: fc.boolean(),
      not_run: text,
      instrumented: fc.array(text, { maxLength: 2 }),
      iteration: fc.nat(4),
      round: fc.nat(3),
      extra: unknown,
    },
    { requiredKeys: ["command", "exit_code", "duration_ms", "output", "instrumented"] },
  ),
});

const verdict = fc.record({
  iteration: fc.nat(4),
  round: fc.nat(3),
  at,
  status: fc.constantFrom("pending", "confirmed", "rejected", "inconclusive"),
  reason: text,
});

const hypothesis = fc.record(
  {
    id: text,
    description: text,
    testable_condition: text,
    logging_point: text,
    evidence_criteria: fc.record({ confirm: text, reject: text, more: unknown }),
    likelihood: number,
    status: fc.constantFrom("pending", "confirmed", "rejected", "inconclusive"),
    evidence: fc.oneof(
      fc.constant(null),
      fc.array(fc.oneof(unknown, fc.record({ hid: text, data: unknown })), { maxLength: 2 }),
      fc.array(evidence, { maxLength: 3 }),
      fc.dictionary(fc.string(), unknown, { maxKeys: 2, noNullPrototype: true }),
    ),
    verdict_reason: nullable(text),
    probe: nullable(probe),
    explains: fc.array(text, { maxLength: 12 }),
    closed_at: nullable(at),
    settled_at: nullable(at),
    claimed_evidence: unknown,
    verdicts: fc.array(verdict, { maxLength: 2 }),
    extra: unknown,
  },
  { requiredKeys: ["id", "description"] },
);

const texts = fc.array(text, { maxLength: 3 });
const comparison = fc.record({
  new_failures: texts,
  fixed: texts,
  still_failing: texts,
  owed: texts,
  flaky: texts,
  removed: texts,
  added: fc.array(text, { maxLength: 22 }),
});

const objection = fc.record({
  key: text,
  kind: text,
  path: fc.oneof(fc.constant(""), text),
  line: nullable(fc.nat(99)),
  text: fc.oneof(fc.constant(""), text),
  message: text,
  allowed: fc.boolean(),
});

const testResult = fc.record(
  {
    test_name: text,
    suite: text,
    status: fc.constantFrom("passed", "failed", "skipped"),
    duration_ms: fc.nat(1_000),
    error_message: nullable(text),
    stack_trace: nullable(text),
    extra: unknown,
  },
  { requiredKeys: ["test_name", "status"] },
);

const run = fc.record({
  iteration: fc.nat(99),
  at,
  passed: fc.boolean(),
  reason: text,
  command: text,
  total: fc.nat(9),
  passed_count: fc.nat(9),
  failed_tests: fc.array(text, { maxLength: 3 }),
});

const optional = { requiredKeys: [] };

const skill = fc.record(
  {
    current_action: nullable(fc.constantFrom("init", "develop", "menu")),
    last_action: nullable(text),
    completed_actions: fc.array(text, { maxLength: 3 }),
    mode: fc.constantFrom("interactive", "auto"),
    develop: fc.record(
      {
        total: number,
        completed: number,
        current_task: nullable(text),
        tasks: fc.array(task, { maxLength: 4 }),
        last_progress_at: nullable(at),
        extra: unknown,
      },
      optional,
    ),
    debug: fc.record(
      {
        active_bug: nullable(text),
        hypotheses_count: number,
        hypotheses: fc.array(hypothesis, { maxLength: 3 }),
        confirmed_hypothesis: nullable(text),
        iteration: number,
        last_analysis_at: nullable(at),
        notes: fc.array(
          fc.record({
            iteration: fc.nat(9),
            at,
            text,
            hypotheses: fc.array(text, { maxLength: 2 }),
          }),
          { maxLength: 3 },
        ),
        extra: unknown,
      },
      optional,
    ),
    validate: fc.record(
      {
        pass_rate: nullable(number),
        coverage: nullable(number),
        test_results: fc.array(testResult, { maxLength: 3 }),
        passed: fc.boolean(),
        failed_tests: fc.array(text, { maxLength: 3 }),
        last_run_at: nullable(at),
        stale: fc.boolean(),
        runs: fc.array(run, { maxLength: 3 }),
        coverage_files: fc.array(fc.record({ path: text, lines: fc.nat(100) }), { maxLength: 3 }),
        comparison,
        objections: fc.array(objection, { maxLength: 3 }),
        extra: unknown,
      },
      optional,
    ),
    errors: fc.array(fc.record({ action: text, message: text, timestamp: at, extra: unknown }), {
      maxLength: 2,
    }),
    summary: fc.oneof(
      fc.constant(null),
      fc.record(
        { duration: unknown, generated_at: text, validate: unknown, extra: unknown },
        optional,
      ),
    ),
    chosen_action: nullable(fc.constantFrom("DEVELOP", "VALIDATE")),
    unknown_field: unknown,
  },
  optional,
);

/** A loop with any `skill_state`, before its texts are filled in. */
const template = fc.record({
  loop_id: fc.constant("loop-a"),
  title: text,
  description: text,
  status: fc.constantFrom("running", "completed", "failed", "paused"),
  current_iteration: fc.nat(20),
  created_at: fc.constant(AT),
  updated_at: fc.constant(AT),
  skill_state: skill,
  completed_at: maybe(at),
  accepted: maybe(texts),
});

function filled(raw: unknown, pool: (index: number) => string): LoopState {
  const text = JSON.stringify(raw);
  return LoopState.parse(
    JSON.parse(text, (_, value: unknown) => {
      const index = typeof value === "string" ? /^§(\d)$/.exec(value)?.[1] : undefined;
      return index === undefined ? value : pool(Number(index)) || "-";
    }),
  );
}

/** A loop twice: its texts as an agent may write them, and the same state with one plain word for each. */
export const loopPair: fc.Arbitrary<{ nasty: LoopState; plain: LoopState }> = fc
  .tuple(template, fc.uniqueArray(nasty, { minLength: 8, maxLength: 8 }))
  .map(([raw, pool]) => ({
    nasty: filled(raw, (i) => pool[i] ?? "-"),
    plain: filled(raw, (i) => ((pool[i] ?? "").trim() === "" ? (pool[i] ?? "") : `word${i}`)),
  }));
