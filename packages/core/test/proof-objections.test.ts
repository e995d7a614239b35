import { describe, expect, test } from "vitest";
import {
  decide,
  isProven,
  type LoopState,
  openObjections,
  outcomeOf,
  questionOf,
  replay,
  selectNextAction,
  tasksOf,
  waitsForAcceptance,
} from "../src/index.ts";
import { AT, after, developed, objection, planned, validated, waiting } from "./given.ts";

const skipped = objection();
const other = objection({ key: "focused:b", kind: "focused", path: "b.test.js" });
const passed = (...objections: (typeof skipped)[]) =>
  planned(["a"], developed("a"), validated(true, { objections }));
const question = waiting({
  kind: "approval",
  about: "objections",
  options: ["accept", "reject"],
});
const asking = (...objections: (typeof skipped)[]) => replay([question], passed(...objections));
const answered = (loop: LoopState, text: string) => after(loop, { type: "answer", text });

describe("a pass with an objection", () => {
  test("is no proof, and asks a person before it completes", () => {
    const loop = passed(skipped);
    expect(isProven(loop)).toBe(false);
    expect(waitsForAcceptance(loop)).toBe(true);
    expect(selectNextAction(loop).action).toBe("COMPLETE");
    expect(outcomeOf(loop)).toMatchObject({ status: "failed", code: "not_proven" });
  });

  test("is a proof once a person accepts all of it, and the outcome says so", () => {
    const accepted = answered(asking(skipped, other), "accept");
    expect(accepted.waiting).toBeUndefined();
    expect(isProven(accepted)).toBe(true);
    expect(outcomeOf(accepted)).toMatchObject({
      status: "completed",
      message: expect.stringContaining("2 objections accepted"),
    });
  });

  test("is asked about again when there is another one later", () => {
    const accepted = answered(asking(skipped), "accept");
    const later = replay([validated(true, { objections: [skipped, other] })], accepted);
    expect(openObjections(later)).toEqual([other]);
    expect(waitsForAcceptance(later)).toBe(true);
  });

  test("that a person rejects becomes a task which names it, each time one of its own", () => {
    let loop = asking(skipped);
    loop = answered(loop, "reject");
    loop = answered({ ...asking(skipped), skill_state: loop.skill_state }, "reject");
    const ids = tasksOf(loop).map(({ id }) => id);
    expect(ids).toEqual(["a", "rejected-1", "rejected-2"]);
    expect(tasksOf(loop)[1]?.description).toContain("A test is skipped now. (a.test.js)");
    expect(selectNextAction(loop).action).toBe("DEVELOP");
  });

  test("takes no other answer", () => {
    expect(() => answered(asking(skipped), "maybe")).toThrow("Answer with one of: accept, reject.");
  });

  test("is judged anew when the operator allows the change, and the question is gone", () => {
    const loop = asking(skipped);
    const changes = { settings: { allow_test_changes: ["a.test.js"] } };
    const edited = after(loop, { type: "edit", changes });
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
