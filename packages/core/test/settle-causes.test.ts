import { describe, expect, test } from "vitest";
import {
  type Hypothesis,
  isProven,
  judgeEvidence,
  openObjections,
  outcomeOf,
  type ProbeEvidence,
  replay,
  selectNextAction,
} from "../src/index.ts";
import {
  AT,
  afterFix,
  confirmedCause,
  debugged,
  developed,
  planned,
  probeRun,
  task,
  validated,
} from "./given.ts";

/** What a probe shows after the fix of a confirmed cause, while the tests are green or red. */
function fixed(probes: ProbeEvidence[], { green = true, cause = confirmedCause() } = {}) {
  const fix_tasks = [task("fix-001", { fixes: "H1" })];
  return planned(
    ["a"],
    developed("a"),
    validated(false),
    debugged({ hypotheses: [cause], confirmed_hypothesis: "H1", fix_tasks }),
    developed("fix-001"),
    validated(green, {}, probes),
  );
}

describe("what one run of a probe says", () => {
  test.each<[string, Partial<ProbeEvidence["data"]>, Hypothesis["status"]]>([
    ["what is predicted if it holds", { shows: "holds" }, "confirmed"],
    ["what is predicted if not", { shows: "does_not_hold" }, "rejected"],
    ["neither", { shows: "neither" }, "inconclusive"],
    ["both", { shows: "both" }, "inconclusive"],
    ["nothing comparable", {}, "inconclusive"],
    ["the same as an empty folder", { shows: "holds", asks_nothing: true }, "inconclusive"],
    ["that a program is missing", { shows: "holds", not_run: "missing" }, "inconclusive"],
    ["that it does not end", { shows: "neither", timed_out: true }, "inconclusive"],
    [
      "with instrumentation that it holds",
      { shows: "holds", instrumented: ["a.js"] },
      "inconclusive",
    ],
    [
      "with instrumentation that not",
      { shows: "does_not_hold", instrumented: ["a.js"] },
      "rejected",
    ],
  ])("%s", (_, data, status) => {
    expect(judgeEvidence(probeRun("H1", data).data).status).toBe(status);
  });
});

describe("a confirmed cause whose tests are green", () => {
  test("is settled when its probe shows that it does not hold any more", () => {
    const end = fixed([afterFix("does_not_hold")]);
    const [cause] = end.skill_state?.debug.hypotheses ?? [];
    expect(cause).toMatchObject({ closed_at: AT, settled_at: AT });
    expect(cause?.evidence).toHaveLength(2);
    expect(selectNextAction(end).action).toBe("COMPLETE");
    expect(outcomeOf(end).code).toBe("proven");
  });

  test.each([
    ["still holds", [afterFix("holds")]],
    ["meets neither prediction", [afterFix("neither")]],
    ["could not be run", [probeRun("H1", { after_fix: true, not_run: "gone" })]],
    ["was not run", []],
  ])("is not settled when its probe %s: DEBUG comes once, then a person", (_, probes) => {
    const end = fixed(probes);
    expect(end.skill_state?.debug.hypotheses[0]).toMatchObject({ status: "confirmed" });
    expect(end.skill_state?.debug.hypotheses[0]).not.toHaveProperty("closed_at");
    expect(isProven(end)).toBe(false);
    expect(outcomeOf(end).status).toBe("failed");
    expect(selectNextAction(end)).toMatchObject({ action: "DEBUG", rule: 9 });

    const looked = replay([debugged()], end);
    expect(selectNextAction(looked)).toMatchObject({ action: "COMPLETE", rule: 8 });
    expect(openObjections(looked)).toMatchObject([{ key: "cause:H1", kind: "cause" }]);

    const keys = ["cause:H1"];
    const accepted = replay([{ type: "objections.accepted", at: AT, keys }], looked);
    expect(outcomeOf(accepted)).toMatchObject({ status: "completed", code: "accepted" });
  });

  test("speaks against nothing any more when a better probe rejects it", () => {
    const end = fixed([afterFix("holds")]);
    const rejected = confirmedCause({ status: "rejected" });
    const looked = replay([debugged({ hypotheses: [rejected] })], end);
    expect(outcomeOf(looked).code).toBe("proven");
  });

  test("of an older version is closed without being settled", () => {
    const cause = confirmedCause({ evidence: [probeRun("H1")] });
    const end = fixed([], { cause });
    expect(end.skill_state?.debug.hypotheses[0]).toMatchObject({ closed_at: AT });
    expect(end.skill_state?.debug.hypotheses[0]).not.toHaveProperty("settled_at");
    expect(outcomeOf(end).code).toBe("proven");
  });
});

test("a confirmed cause whose tests are red is open again, whatever its probe shows", () => {
  const end = fixed([afterFix("does_not_hold")], { green: false });
  expect(end.skill_state?.debug.hypotheses[0]).toMatchObject({ status: "inconclusive" });
  expect(end.skill_state?.debug.confirmed_hypothesis).toBeNull();
});
