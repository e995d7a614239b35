import { describe, expect, test } from "vitest";
import {
  awaitsReview,
  evolve,
  findingAnswer,
  isProven,
  type LoopState,
  lacksReview,
  openObjections,
  parseReview,
  type Receipt,
  Review,
  reviewLines,
  reviewObjections,
  reviewSchema,
  selectNextAction,
  tasksOf,
} from "../src/index.ts";
import {
  AT,
  after,
  created,
  developed,
  initialized,
  objection,
  receipt,
  started,
  state,
  validated,
  waiting,
} from "./given.ts";

const finding = { file: "src/cart.js", line: 12, problem: "It knows the tested prices." };
const review = (changes: object = {}) =>
  Review.parse({ agent: "gemini", round: 1, at: AT, tree: "tree-1", ...changes });
const failing = { path: "test/x.test.js", text: "hidden", result: "failed", reason: "6, not 4" };
const settings = { mode: "auto", review: "gemini" } as const;

/** A loop whose work is done and validated with this receipt. */
const proven = (changes: Partial<Receipt> = {}, own: LoopState["settings"] = settings) =>
  state(
    created({ settings: own }),
    ...[started, initialized("a"), developed("a"), validated(true, changes)],
  );

test.each<[string, Partial<Receipt>, LoopState["accepted"], boolean]>([
  ["nobody looked", {}, [], true],
  ["the tests fail", { passed: false }, [], false],
  ["work was open, so there is no square", { square: undefined }, [], false],
  ["the tests are waived", { square: undefined, waived: "none" }, [], true],
  ["something else is open", { objections: [objection({ key: "k" })] }, [], false],
  ["something else was accepted", { objections: [objection({ key: "k" })] }, ["k"], true],
  ["these files were looked at", { reviews: [review()] }, [], false],
  ["earlier files were looked at", { reviews: [review({ tree: "tree-0" })] }, [], true],
  [
    "both rounds are used up",
    { reviews: [review({ tree: "tree-0" }), review({ round: 2, tree: "tree-9" })] },
    [],
    false,
  ],
  ["it was tried on these files", { reviews: [review({ problem: "no login" })] }, [], false],
  [
    "rounds that were not made do not count",
    {
      reviews: [
        review({ tree: "tree-0" }),
        ...["a", "b"].map((tree) => review({ tree, problem: "no login" })),
      ],
    },
    [],
    true,
  ],
])("a receipt lacks a review: %s", (_, changes, accepted, lacks) => {
  const judged = receipt(changes.passed ?? true, changes);
  expect(lacksReview({ settings, accepted }, judged)).toBe(lacks);
  expect(lacksReview({ settings: {}, accepted }, judged)).toBe(false);
});

test("a review is awaited as long as a round is left, whatever else is open", () => {
  const open = receipt(true, { objections: [objection()] });
  expect(awaitsReview({ settings }, open)).toBe(true);
  expect(awaitsReview({ settings }, { ...open, reviews: [review()] })).toBe(false);
});

describe("what reviews object", () => {
  test("the findings of the last round, each with its place, and every test that fails", () => {
    const first = review({ findings: [finding], tests: [failing] });
    const second = review({ round: 2, tree: "tree-2", findings: [{ file: "", problem: "Late." }] });
    expect(reviewObjections([first], "tree-1")).toMatchObject([
      {
        kind: "finding",
        path: "src/cart.js",
        line: 12,
        message: "gemini finds: It knows the tested prices.",
      },
      { kind: "review_test", path: "test/x.test.js", message: expect.stringContaining("6, not 4") },
    ]);
    expect(reviewObjections([first, second], "tree-2").map(({ message }) => message)).toEqual([
      "gemini finds: Late.",
      expect.stringContaining("6, not 4"),
    ]);
  });

  test("a finding keeps its key where its line moves, and a test that fails otherwise keeps its own", () => {
    const keys = (one: object) => reviewObjections([review(one)], "tree-1").map(({ key }) => key);
    expect(keys({ findings: [{ ...finding, line: 3 }] })).toEqual(keys({ findings: [finding] }));
    expect(keys({ tests: [{ ...failing, reason: "7, not 4" }] })).toEqual(
      keys({ tests: [failing] }),
    );
    expect(keys({ findings: [{ ...finding, file: "b.js" }] })).not.toEqual(
      keys({ findings: [finding] }),
    );
  });

  test("tests that passed or were not run object nothing, and a review that was not made does", () => {
    const tests = ["passed", "not_run"].map((result) => ({ ...failing, result }));
    expect(reviewObjections([review({ tests })], "tree-1")).toEqual([]);
    const missing = review({ problem: "The usage limit is reached." });
    expect(reviewObjections([missing], "tree-1")).toMatchObject([
      { kind: "review", message: "The review by gemini was not made: The usage limit is reached." },
    ]);
  });
});

describe("a loop with a reviewer", () => {
  const withReview = (...reviews: Review[]) =>
    proven({ reviews, objections: reviewObjections(reviews, "tree-1") });
  const asking = (state: LoopState, about: "objections" | "review") =>
    evolve(state, waiting({ kind: "approval", about, options: ["accept", "reject", "again"] }));
  const answered = (state: LoopState, text: string) => after(state, { type: "answer", text });

  test.each<[string, LoopState, string]>([
    ["nobody has looked", proven(), "VALIDATE"],
    ["no reviewer was named", proven({}, { mode: "auto" }), "COMPLETE"],
    ["it found nothing", withReview(review()), "COMPLETE"],
    ["it found something", withReview(review({ findings: [finding] })), "COMPLETE"],
  ])("%s: what comes next", (_, state, action) => {
    expect(selectNextAction(state).action).toBe(action);
  });

  test("is proven by nothing that a reviewer says, and not without it", () => {
    expect(isProven(proven())).toBe(false);
    expect(isProven(withReview(review()))).toBe(true);
    expect(isProven(withReview(review({ findings: [finding] })))).toBe(false);
    expect(isProven(withReview(review({ problem: "no login" })))).toBe(false);
    const red = { ...proven(), receipts: [receipt(false, { reviews: [review()] })] };
    expect(isProven(red)).toBe(false);
  });

  test("goes on with a task for what a person rejects", () => {
    const state = asking(withReview(review({ findings: [finding] })), "objections");
    const next = answered(state, "reject");
    expect(tasksOf(next).at(-1)).toMatchObject({
      id: "rejected-1",
      description: expect.stringContaining("It knows the tested prices. (src/cart.js:12)"),
    });
  });

  test("whose review was not made counts as done when a person accepts, and is validated again when they say so", () => {
    const state = asking(withReview(review({ problem: "no login" })), "review");
    expect(isProven(answered(state, "accept"))).toBe(true);
    expect(selectNextAction(answered(state, "again")).action).toBe("VALIDATE");
  });

  test("makes no task of a review that was not made", () => {
    const both = [review({ tree: "tree-0", findings: [finding] }), review({ problem: "no login" })];
    const next = answered(asking(withReview(...both), "objections"), "reject");
    expect(openObjections(withReview(...both))).toHaveLength(2);
    expect(tasksOf(next).at(-1)?.description).not.toContain("no login");
  });

  test("tells who looked, round by round, and what became of each finding", () => {
    const first = review({ tree: "tree-0", findings: [finding] });
    const second = review({
      ...{ round: 2, findings: [{ file: "", problem: "Late." }], tests: [failing] },
    });
    const state = proven({ reviews: [first, second, review({ round: 3, problem: "no login" })] });
    expect(findingAnswer([first], {}, first, finding as never)).toBe("open");
    expect(reviewLines(state)).toEqual([
      "round 1 by gemini, of earlier files: 1 finding",
      "  rejected: It knows the tested prices. (src/cart.js:12)",
      "round 2 by gemini: 1 finding, 1 test of its own",
      "  open: Late.",
      "  its test test/x.test.js: failed",
      "round 3 by gemini was not made: no login",
    ]);
    const [objected] = reviewObjections([second], "tree-1");
    const accepted = { ...state, accepted: [objected?.key ?? ""] };
    expect(reviewLines(accepted)).toContain("  accepted: Late.");
  });
});

describe("the answer of a reviewer", () => {
  const answer = (value: object) => JSON.stringify(value);

  test.each<[string, string, object]>([
    ["bare", answer({ findings: [finding] }), { findings: [finding], tests: [] }],
    [
      "in prose and a fence, the last one",
      `First {"findings": []}.\n\`\`\`json\n${answer({ findings: [finding], tests: null })}\n\`\`\`\nThat is all.`,
      { findings: [finding], tests: [] },
    ],
    [
      "without a line, under ./",
      answer({ findings: [{ file: "./a.js", line: "?", problem: "p" }] }),
      { findings: [{ file: "a.js", line: null, problem: "p" }], tests: [] },
    ],
    [
      "with a test",
      answer({ action: "REVIEW", findings: [], tests: [{ file: "./t.js", text: "x" }] }),
      { findings: [], tests: [{ file: "t.js", text: "x" }] },
    ],
    [
      "with one test too long and one twice",
      answer({
        findings: [],
        tests: [
          { file: "long.js", text: "x".repeat(20_001) },
          { file: "t.js", text: "x" },
          { file: "t.js", text: "y" },
        ],
      }),
      { findings: [], tests: [{ file: "t.js", text: "x" }] },
    ],
  ])("is read %s", (_, text, review) => {
    expect(parseReview(text)).toEqual({ ok: true, review });
  });

  test.each([
    ["All is well.", "It has no JSON object with a list of findings."],
    [
      '{"action": "DEVELOP", "status": "success"}',
      "It has no JSON object with a list of findings.",
    ],
    [answer({ findings: [{ file: "a.js" }] }), expect.stringContaining("findings.0.problem")],
    [answer({ findings: [{ ...finding, problem: "…" }] }), "It repeats the form of the answer."],
  ])("%s is none", (text, problem) => {
    expect(parseReview(text)).toEqual({ ok: false, problem });
  });

  test("is asked for by a schema without optional fields", () => {
    expect(reviewSchema()).toMatchObject({
      required: ["action", "findings", "tests"],
      additionalProperties: false,
      properties: { findings: { items: { required: ["file", "line", "problem"] } } },
    });
  });
});
