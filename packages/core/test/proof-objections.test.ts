import { describe, expect, test } from "vitest";
import {
  decide,
  isProven,
  openObjections,
  outcomeOf,
  questionOf,
  replay,
  selectNextAction,
  tasksOf,
  waitsForAcceptance,
} from "../src/index.ts";
import {
  AT,
  created,
  developed,
  initialized,
  objection,
  started,
  state,
  validated,
} from "./given.ts";

const skipped = objection();
const other = objection({ key: "focused:b", kind: "focused", path: "b.test.js" });
const passed = (...objections: (typeof skipped)[]) =>
  state(created(), started, initialized("a"), developed("a"), validated(true, { objections }));
const asking = (...objections: (typeof skipped)[]) =>
  replay(
    [
      {
        type: "waiting.started",
        at: AT,
        waiting: {
          kind: "approval",
          since: AT,
          about: "objections",
          options: ["accept", "reject"],
        },
      },
    ],
    passed(...objections),
  );

describe("a pass with an objection", () => {
  test("is no proof, and asks a person before it completes", () => {
    const loop = passed(skipped);
    expect(isProven(loop)).toBe(false);
    expect(waitsForAcceptance(loop)).toBe(true);
    expect(selectNextAction(loop).action).toBe("COMPLETE");
    expect(outcomeOf(loop)).toMatchObject({ status: "failed", code: "not_proven" });
  });

  test("is a proof once a person accepts all of it, and the outcome says so", () => {
    const loop = asking(skipped, other);
    const accepted = replay(decide(loop, { type: "answer", text: "accept" }, AT), loop);
    expect(accepted.waiting).toBeUndefined();
    expect(isProven(accepted)).toBe(true);
    expect(outcomeOf(accepted)).toMatchObject({
      status: "completed",
      message: expect.stringContaining("2 objections accepted"),
    });
  });

  test("is asked about again when there is another one later", () => {
    const loop = asking(skipped);
    const accepted = replay(decide(loop, { type: "answer", text: "accept" }, AT), loop);
    const later = replay([validated(true, { objections: [skipped, other] })], accepted);
    expect(openObjections(later)).toEqual([other]);
    expect(waitsForAcceptance(later)).toBe(true);
  });

  test("that a person rejects becomes a task which names it, each time one of its own", () => {
    let loop = asking(skipped);
    loop = replay(decide(loop, { type: "answer", text: "reject" }, AT), loop);
    loop = replay(
      decide(
        { ...asking(skipped), skill_state: loop.skill_state },
        { type: "answer", text: "reject" },
        AT,
      ),
      loop,
    );
    const ids = tasksOf(loop).map(({ id }) => id);
    expect(ids).toEqual(["a", "rejected-1", "rejected-2"]);
    expect(tasksOf(loop)[1]?.description).toContain("A test is skipped now. (a.test.js)");
    expect(selectNextAction(loop).action).toBe("DEVELOP");
  });

  test("takes no other answer", () => {
    expect(() => decide(asking(skipped), { type: "answer", text: "maybe" }, AT)).toThrow(
      "Answer with one of: accept, reject.",
    );
  });

  test("is judged anew when the operator allows the change, and the question is gone", () => {
    const loop = asking(skipped);
    const changes = { settings: { allow_test_changes: ["a.test.js"] } };
    const edited = replay(decide(loop, { type: "edit", changes }, AT), loop);
    expect(edited.waiting).toBeUndefined();
    expect(selectNextAction(edited).action).toBe("VALIDATE");
    const same = replay(decide(edited, { type: "edit", changes }, AT), {
      ...loop,
      settings: edited.settings,
    });
    expect(same.waiting).toBeDefined();
  });
});

test("the question names every objection with its place, up to a bound", () => {
  const text = questionOf([skipped, objection({ key: "x", path: "", message: "No test ran." })]);
  expect(text).toContain("- A test is skipped now. (a.test.js)\n- No test ran.\n");
  expect(text).toContain("Answer accept");
  const many = Array.from({ length: 30 }, (_, i) => objection({ key: `k${i}` }));
  expect(questionOf(many)).toContain("and 10 more");
});
