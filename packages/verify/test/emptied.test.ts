import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

/** A check without a report: it compares what the source prints, and ends with 1 where that is wrong. */
const COMPARES = '[ "$(sh cart.sh)" = 16 ]\n';
const MAKEFILE = "test:\n\tsh check.sh\n";
const START = { Makefile: MAKEFILE, "check.sh": COMPARES, "cart.sh": "echo 17\n" };

describe.concurrent("a changed source behind a command without a report", {
  timeout: 60_000,
}, () => {
  test.each([
    ["replaced by one that passes", { "check.sh": "exit 0\n" }],
    ["that compares less than before", { "check.sh": '[ -n "$(sh cart.sh)" ]\n' }],
  ])("decides by itself: a script that does the testing, %s", async (_, present) => {
    const { verdict, of } = await checked({ command: "make test", start: START, present });
    expect(verdict.passed).toBe(true);
    expect(of("emptied")).toMatchObject({ result: "failed", objections: ["emptied"] });
    expect(of("emptied").text).toContain("check.sh");
  });

  test.each([
    ["what the script compares", "make test", START, { "cart.sh": "echo 16\n" }],
    [
      "what a linter reads and never runs",
      "sh lint.sh",
      { "lint.sh": "! grep -q tabs cart.sh\n", "cart.sh": "echo tabs\n" },
      { "cart.sh": "echo 16\n" },
    ],
  ])("decides nothing: %s", async (_, command, start, present) => {
    const { verdict, of } = await checked({ command, start, present });
    expect(verdict.passed).toBe(true);
    expect(of("emptied")).toMatchObject({ result: "held", objections: [] });
  });

  test("is not looked at where nothing that starts the tests names it", async () => {
    const { of } = await checked({
      command: "make test",
      start: { ...START, "lib/tax.sh": "echo 1\n" },
      present: { "lib/tax.sh": "echo 2\n", "cart.sh": "echo 16\n" },
    });
    expect(of("emptied")).toMatchObject({ result: "held", looked_at: 1 });
  });
});
