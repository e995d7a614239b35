import { describe, expect, test } from "vitest";
import { type Comparison, LoopState, renderProgress } from "../src/index.ts";
import { AT, created, done, initialized, objection, receipt, started, state } from "./given.ts";

const comparison: Comparison = {
  new_failures: ["cart > total"],
  fixed: ["cart > empty"],
  still_failing: ["shop > tax"],
  owed: [],
  flaky: ["net > slow"],
  removed: ["cart > old"],
  added: [],
};
const objections = [
  objection(),
  objection({ key: "removed:x", kind: "removed", path: "", message: "Gone." }),
];
const coverage_files = [
  { path: "b.js", lines: 90 },
  { path: "a.js", lines: 12 },
];

function validated(passed: boolean) {
  return done({
    action: "VALIDATE",
    receipt: receipt(passed, { comparison, objections }),
    test_results: [],
    coverage: 81.5,
    coverage_files,
  });
}
const loop = state(created(), started, initialized(), validated(true), {
  type: "objections.accepted",
  at: AT,
  keys: ["removed:x"],
});
const text = renderProgress(loop)["validate.md"] ?? "";

describe("validate.md", () => {
  test("tells the run beside the baseline, test by test", () => {
    const part = text.slice(
      text.indexOf("### Compared with the Baseline"),
      text.indexOf("### Objections"),
    );
    expect(part).toContain("| New failures | 1 |");
    expect(part).toContain("| Failed before, to be repaired by this loop | 0 |");
    expect(part).toContain("**New failures**:\n\n- cart \\> total\n");
    expect(part).toContain("**Failed before and still fail**:\n\n- shop \\> tax\n");
    expect(part).toContain("**Flaky: passed and failed on the same files**:\n\n- net \\> slow\n");
    expect(part).toContain("**Not run any more**:\n\n- cart \\> old\n");
    expect(part).not.toContain("**Added**");
  });

  test("tells what speaks against the run, with its place and what became of it", () => {
    const part = text.slice(text.indexOf("### Objections"), text.indexOf("### Coverage Report"));
    expect(part).toContain("- **OPEN**: `skipped` in `a.test.js`: A test is skipped now.\n");
    expect(part).toContain("- **ACCEPTED**: `removed`: Gone.\n");
    expect(text).toContain("1. Accept or reject what speaks against this run as a proof");
  });

  test("tells the coverage of each file, the least covered first", () => {
    expect(text).toContain(
      "**Overall Coverage**: 81.5%\n\n| File | Lines |\n| --- | --- |\n| a.js | 12% |\n| b.js | 90% |",
    );
  });

  test("of a run without a baseline has no such parts", () => {
    const plain = LoopState.parse(loop);
    delete plain.skill_state?.validate.comparison;
    delete plain.skill_state?.validate.objections;
    const document = renderProgress(plain)["validate.md"];
    expect(document).not.toContain("### Compared with the Baseline");
    expect(document).not.toContain("### Objections");
    expect(JSON.parse(renderProgress(plain)["test-results.json"] ?? "")).toMatchObject({
      comparison: null,
      objections: [],
    });
  });
});

test("the data files have all of it", () => {
  const files = renderProgress(loop);
  expect(JSON.parse(files["test-results.json"] ?? "")).toMatchObject({ comparison, objections });
  expect(JSON.parse(files["coverage.json"] ?? "")).toEqual({
    overall: { lines: 81.5 },
    files: coverage_files,
  });
});
