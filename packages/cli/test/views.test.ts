import { Baseline, Checkpoint } from "@ccw-loop/core";
import {
  applyEvent,
  logEntryOf,
  type Progress,
  painter,
  roundsOf,
  roundText,
  widthOf,
} from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { frameOf, plainView, renderFrame } from "../src/output/run-view.ts";
import { noticeLine } from "../src/output/supervisor-report.ts";
import { commandHints } from "../src/runtime/hints.ts";
import {
  AT,
  after,
  complete,
  debug,
  develop,
  init,
  loop,
  output,
  recorded,
  said,
  start,
  validate,
} from "./support/events.ts";

const paint = painter(false);
const now = new Date(Date.parse(AT) + 12_000);
const frame = (progress: Progress, rows = 40, columns = 100) =>
  renderFrame(frameOf(progress, now, rows), columns, paint).split("\n");
const folded = (progress: Progress) => roundsOf(progress.steps).map(roundText);

describe("earlier rounds fold to a line", () => {
  test("the happy path", () => {
    const events = [
      ...init("a", "b"),
      ...develop("task-001"),
      ...develop("task-002"),
      ...validate(true),
    ];
    expect(folded(after(...events, ...complete()))).toEqual([
      "INIT",
      "Iterations 1-3: DEVELOP x2 + VALIDATE (pass)",
      "COMPLETE",
    ]);
  });

  test("a failed validation begins a new round", () => {
    const first = [...init("a"), ...develop("task-001"), ...validate(false)];
    expect(folded(after(...first, ...debug(), ...validate(true), ...validate(true)))).toEqual([
      "INIT",
      "Iterations 1-2: DEVELOP + VALIDATE (fail)",
      "Iterations 3-4: DEBUG + VALIDATE (pass)",
      "Iteration 5: VALIDATE (pass)",
    ]);
  });

  test("failed and interrupted actions say so", () => {
    const failed = recorded({
      type: "action.failed",
      action: "DEVELOP",
      task_id: "task-001",
      message: "No.",
      code: "agent_failed",
      active_ms: 1,
    });
    const cut = recorded({
      type: "action.interrupted",
      action: "DEVELOP",
      reason: "paused",
      active_ms: 1,
    });
    const events = [...init("a", "b"), start("DEVELOP", "task-001"), failed];
    expect(folded(after(...events, start("DEVELOP", "task-002"), cut)).at(-1)).toBe(
      "Iterations 1-2: DEVELOP (failed) + DEVELOP (interrupted)",
    );
    // The repeated action takes the place of the one that was cut off.
    expect(
      folded(after(...events, start("DEVELOP", "task-002"), cut, ...develop("task-002"))).at(-1),
    ).toBe("Iterations 1-2: DEVELOP (failed) + DEVELOP");
  });
});

test("a loop that was stopped is called so in the frame and by a supervisor", () => {
  const stopped = after(...init("a"), recorded({ type: "loop.stopped", reason: "enough" }));
  expect(frame(stopped)[1]).toMatch(/^cart · stopped · /);
  const notice = { type: "loop.given_back", id: "cart", state: stopped.state } as const;
  expect(noticeLine(notice)[1]).toBe("cart stopped: enough");
});

describe("the live frame", () => {
  const busy = after(
    ...init("price times quantity", "coupons"),
    ...develop("task-001"),
    ...validate(false),
    start("DEBUG"),
    output("line one\nline two\nhalf a li"),
    output("ne"),
  );

  test("unfolds what is under way", () => {
    expect(frame(busy)).toEqual([
      "Fix the cart",
      "cart · running · 2 of 10 iterations · 12s",
      "✔ INIT",
      "✖ Iterations 1-2: DEVELOP + VALIDATE (fail)",
      "▸ Iteration 3",
      "  ▸ DEBUG  [12s]",
      "      line one",
      "      line two",
      "      half a line",
      "○ DEVELOP",
      "○ VALIDATE",
      "○ COMPLETE",
    ]);
  });

  test("shows the task and the results of the round under way", () => {
    const progress = after(
      ...init("first", "second"),
      ...develop("task-001"),
      start("DEVELOP", "task-002"),
    );
    expect(frame(progress).slice(3)).toEqual([
      "▸ Iterations 1-2",
      "  ✔ DEVELOP  Rounded.",
      "  ▸ DEVELOP  [12s]  task 2/2: second",
      "○ VALIDATE",
      "○ COMPLETE",
    ]);
  });

  test("folds everything when the loop has ended", () => {
    const done = after(...init("a"), ...develop("task-001"), ...validate(true), ...complete());
    expect(frame(done)).toEqual([
      "Fix the cart",
      "cart · completed · 2 of 10 iterations · 12s",
      "✔ INIT",
      "✔ Iterations 1-2: DEVELOP + VALIDATE (pass)",
      "✔ COMPLETE",
    ]);
  });

  test.each([1, 4, 6, 8, 10, 12])("is never higher than %i rows", (rows) => {
    expect(frame(busy, rows).length).toBeLessThanOrEqual(rows);
  });

  test("keeps what is under way when rows are few, and says what is missing", () => {
    const many = Array.from({ length: 9 }, () => [...debug(), ...validate(false)]).flat();
    const lines = frame(after(...init("a"), ...many, start("DEBUG"), output("busy\n")), 10);
    expect(lines).toEqual([
      "Fix the cart",
      "cart · running · 18 of 10 iterations · 12s",
      "… 9 earlier lines",
      "✖ Iterations 17-18: DEBUG + VALIDATE (fail)",
      "▸ Iteration 19",
      "  ▸ DEBUG  [12s]",
      "      busy",
      "○ DEVELOP",
      "○ VALIDATE",
      "○ COMPLETE",
    ]);
  });

  test("is never wider than the terminal, also with wide characters", () => {
    const wide = applyEvent(busy, output(`\n${"漢字かな".repeat(40)}\n`));
    for (const line of frame(wide, 40, 50)) expect(widthOf(line)).toBeLessThanOrEqual(50);
    expect(frame(wide, 40, 50).some((line) => line.includes("漢字"))).toBe(true);
  });

  test("shows no control character of an agent", () => {
    const evil = applyEvent(busy, output("\n\u001b]0;title\u0007\u001b[2Jhello\u202E\n"));
    expect(frame(evil).join("\n")).toContain("      hello\n");
    expect(frame(evil).join("\n")).not.toMatch(/(?!\n)\p{Cc}|\u202E/u);
  });

  test("stays small however much the agent prints", () => {
    let progress = busy;
    for (let i = 0; i < 2000; i++)
      progress = applyEvent(progress, output(`${i} ${"x".repeat(5000)}`));
    expect(JSON.stringify(progress.activity).length).toBeLessThan(20_000);
    progress = applyEvent(progress, output(`${"y\n".repeat(500_000)}last\n`));
    expect(frame(progress)).toContain("      last");
  });

  test("leaves out messages that are results for the orchestrator", () => {
    const words = [said("Reading the code\n"), said('{"action":"DEBUG",'), said('"message":"x"}')];
    const muted = [said("", "message.completed"), ...words.slice(1), said("", "message.completed")];
    const progress = [words[0], ...muted, said("Next message\n")].reduce(
      (before, event) => (event ? applyEvent(before, event) : before),
      after(...init("a"), start("DEVELOP", "task-001")),
    );
    const texts = progress.activity.lines.map(({ text }) => text);
    expect(texts).toEqual(["Reading the code", "Next message"]);
  });
});

describe("facts for a log", () => {
  const factTexts = (...events: Parameters<typeof after>) => {
    let progress = after();
    return events.flatMap((event) => {
      progress = applyEvent(progress, event);
      return logEntryOf(event, progress)?.text ?? [];
    });
  };

  test("tell a whole loop in sentences", () => {
    const waiting = { kind: "input" as const, since: AT, prompt: "Which\nbranch?" };
    expect(
      factTexts(
        ...init("a"),
        ...develop("task-001"),
        ...validate(false),
        recorded({ type: "waiting.started", waiting }),
        recorded({ type: "loop.paused", reason: "lunch" }),
        ...validate(true),
        ...complete(),
      ),
    ).toEqual([
      "INIT started",
      "INIT done: Planned.",
      "DEVELOP started, task 1/1: a",
      "DEVELOP done: Rounded.",
      "VALIDATE started",
      "VALIDATE failed: npm test, 3 passed, 2 failed (2 tests failed.)",
      "Waits for input: Which branch?",
      "Paused: lunch",
      "VALIDATE started",
      "VALIDATE passed: npm test, 5 passed, 0 failed",
      "COMPLETE started",
      "COMPLETE done",
      "Completed: The tests passed.",
    ]);
  });

  test("tell about the proof and the way back", () => {
    const counts = { total: 3, passed: 1, failed: 2, skipped: 0 };
    const tests = { adds: "failed", halves: "failed", "is there": "passed" };
    const measured = {
      at: AT,
      tree: "aaaa",
      command: "npm test",
      reason: "2 failed.",
      counts,
      tests,
    };
    const reason = "The report is cut off (the command exited with 1).";
    const command = { command: "npm test", exit_code: 1, duration_ms: 5, report: "tap", reason };
    const passing = { total: 1, passed: 1, failed: 0, skipped: 0 };
    const cutOff = {
      ...{ ...measured, counts: passing, tests: { "is there": "passed" } },
      commands: [{ ...command, counts: passing, verdict: "untrusted" }],
    };
    const checkpoint = (n: number, ...paths: string[]) => {
      const skipped = paths.map((path) => ({ path, reason: "may hold secrets" }));
      const kept = { n, at: AT, action: null, commit: "cccc", tree: "aaaa", skipped };
      return recorded({ type: "checkpoint.made", checkpoint: Checkpoint.parse(kept) });
    };
    const about = "objections" as const;
    const prompt = "It is not proven:\n- A test is skipped.";
    const waiting = { kind: "approval" as const, since: AT, prompt, about };
    expect(
      factTexts(
        recorded({ type: "worktree.made", path: "/trees/cart", branch: "ccw-loop/cart" }),
        recorded({ type: "baseline.measured", baseline: Baseline.parse(measured) }),
        recorded({ type: "baseline.measured", baseline: Baseline.parse(cutOff) }),
        checkpoint(0, ".env"),
        checkpoint(1, ".env"),
        checkpoint(2, ".env", "a", "b", "c", "d", "e", "f"),
        recorded({ type: "waiting.started", waiting }),
        recorded({ type: "objections.accepted", keys: ["a", "b"] }),
        recorded({ type: "loop.rewound", to: 1, state: loop }),
        recorded({ type: "workspace.restored", tree: "aaaa" }),
        recorded({ type: "receipt.refused", reason: "Receipt receipt-001 is not sealed." }),
      ),
    ).toEqual([
      "Works in /trees/cart, on the branch ccw-loop/cart",
      "Before any change: npm test: 1 passed, 2 failed. Red and owed: adds; halves",
      `Before any change: npm test: 1 passed, 0 failed (${reason})`,
      "Not kept in checkpoints: .env",
      "Not kept in checkpoints: a, b, c, d, e and 1 more",
      "Waits for approval: It is not proven.",
      "Accepted: 2 objections to the proof",
      "Rewound to checkpoint 1",
      "Receipt receipt-001 is not sealed.",
    ]);
  });

  test("say what the agent says, not every character of it", () => {
    expect(
      factTexts(
        said("Hel"),
        said("lo"),
        said("Hello\u001b[31m there", "message.completed"),
        said('{"action":"DEVELOP","message":"It rounds now."}', "message.completed"),
        output("noise"),
      ),
    ).toEqual(["Hello there"]);
  });

  test("name the command that goes on where this one asks, and leave the agent's own words", () => {
    const lines: string[] = [];
    const hint = commandHints({}, { url: "http://a.example" });
    const say = (text: string) => void lines.push(text);
    const view = plainView({ say, hint, paintError: paint } as never, after());
    const message = "1 of 1 iterations are used. Go on with: ccw-loop resume cart --reopen";
    view.event(said("Look with: ccw-loop list", "message.completed"));
    view.event(recorded({ type: "loop.failed", outcome: { code: "max_iterations", message } }));
    expect(lines).toEqual([
      expect.stringContaining("Look with: ccw-loop list"),
      expect.stringContaining("Go on with: ccw-loop --url http://a.example resume cart --reopen"),
    ]);
  });
});
