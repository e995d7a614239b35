import { describe, expect, test } from "vitest";
import {
  Hypothesis,
  type LoopEvent,
  type LoopState,
  Probe,
  type ProbeEvidence,
  renderProgress,
} from "../src/index.ts";
import {
  AT,
  created,
  debugged,
  developed,
  initialized,
  probeRun,
  started,
  begun as starts,
  state,
  task,
  validated,
} from "./given.ts";

const begun = [created(), started, initialized("a", "b")] as const;
const idea = (id: string, status: Hypothesis["status"], more: Partial<Hypothesis> = {}) =>
  Hypothesis.parse({
    id,
    description: `cause ${id}`,
    testable_condition: "x > 1",
    logging_point: "cart.js:total:12",
    evidence_criteria: { confirm: "2", reject: "1" },
    status,
    evidence: status === "pending" ? null : { observed: 2 },
    verdict_reason: status === "pending" ? null : "seen",
    ...more,
  });

const probe = Probe.parse({
  command: "node p.js",
  if_holds: [{ kind: "text", how: "is", text: "8.4915" }],
  if_not: [{ kind: "text", how: "is", text: "8.49" }],
});
const evidence = (hid: string, data: Partial<ProbeEvidence["data"]> = {}) => {
  const shown = { probe, duration_ms: 7, output: "8.4915\n", iteration: 1, round: 1 };
  return probeRun(hid, { ...shown, ...data });
};

const debugMd = (state: LoopState) => renderProgress(state)["debug.md"] ?? "";
const headings = (text: string) => text.split("\n").filter((line) => line.startsWith("#"));

describe("debug.md of hypotheses without probes, as older versions wrote them", () => {
  const twice = state(
    ...begun,
    debugged({ understanding: "first belief", hypotheses: [idea("H1", "pending")] }),
    debugged({
      understanding: "second belief",
      hypotheses: [idea("H1", "rejected"), idea("H2", "confirmed"), idea("H3", "pending")],
      confirmed_hypothesis: "H2",
    }),
  );

  test("has an entry per DEBUG, then every hypothesis, and what is understood now last", () => {
    expect(headings(debugMd(twice))).toEqual([
      "# Understanding Document",
      "## Exploration Timeline",
      "### Iteration 1 - Analysis (2026-01-22T10:00:00.000Z)",
      "#### Current Understanding",
      "### Iteration 2 - Analysis (2026-01-22T10:00:00.000Z)",
      "#### Current Understanding",
      "## Hypotheses",
      "### H1 - REJECTED",
      "### H2 - CONFIRMED",
      "### H3 - PENDING",
      "## Current Consolidated Understanding",
      "### What We Know",
      "### Root Cause Identified",
      "### What Was Disproven",
      "### Current Investigation Focus",
      "### Remaining Questions",
    ]);
    const text = debugMd(twice);
    const last = text.slice(text.indexOf("## Current Consolidated"));
    expect(last).toContain("> second belief");
    expect(last).not.toContain("first belief\n");
    expect(text).toContain("**Bug Description**: the cart");
    expect(text).toContain('- **Evidence**: `{"observed":2}`');
  });

  test("debug.log has the evidence in the shape of the instrumentation", () => {
    const data = { observed: 2 };
    expect(debugLog(twice)).toEqual([
      { hid: "H1", ts: Date.parse(AT), func: "total", data },
      { hid: "H2", ts: Date.parse(AT), func: "total", data },
    ]);
  });
});

function debugLog(state: LoopState): unknown[] {
  const lines = (renderProgress(state)["debug.log"] ?? "").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

describe("debug.md tells the story", () => {
  const cause = idea("H1", "confirmed", {
    evidence: [
      evidence("H1", { shows: "neither", instrumented: ["cart.js"] }),
      evidence("H1", { round: 2, command: "npm test", output: "", shows: "holds" }),
    ],
    explains: ["cart > total"],
    verdict_reason: "three runs agree",
    claimed_evidence: "I read it",
  });
  const wrong = idea("H2", "rejected", {
    evidence: [
      evidence("H2", { exit_code: null, timed_out: true, output: "" }),
      evidence("H2", { command: "npm run price", shows: "does_not_hold" }),
    ],
    verdict_reason: "the mug costs 10",
  });
  const unable = idea("H3", "inconclusive", {
    evidence: [evidence("H3", { not_run: "there is no such program" })],
    verdict_reason: "nothing was shown",
    probe: { command: "python p.py", if_holds: [], if_not: [] },
  });
  const fix = task("fix-001", { fixes: "H1", description: "round once" });
  const found = [
    ...begun,
    validated(false),
    debugged({ hypotheses: [cause, wrong, unable], confirmed_hypothesis: "H1", fix_tasks: [fix] }),
  ] as const;
  const section = (text: string, from: string, to: string) =>
    text.slice(text.indexOf(from), text.indexOf(to, text.indexOf(from)));

  test("round by round: the hypothesis, its probe, what it showed, the verdict and why", () => {
    const text = debugMd(state(...found));
    const first = section(text, "#### Round 1", "#### Round 2");
    expect(first).toContain(
      "- **Hypothesis**: `H1` cause H1\n- **Probe**: `node p.js`\n" +
        '- **If it holds**: `output is "8.4915"`\n- **If it does not**: `output is "8.49"`\n' +
        "- **Instrumented**: `cart.js`\n" +
        "- **Showed**: exit code 1 after 7ms\n\n> 8.4915  \n\n" +
        "- **Verdict**: INCONCLUSIVE Its probe met neither prediction.",
    );
    expect(first).toContain("- **Showed**: it did not end and was stopped after 7ms");
    expect(first).toContain("- **Showed**: nothing, it could not be run: there is no such program");
    expect(first).toContain("- **Verdict**: INCONCLUSIVE Its probe did not end in time.");
    expect(first).toContain("- **Verdict**: REJECTED Its probe showed what was predicted if it");
    const second = section(text, "#### Round 2", "## Hypotheses");
    expect(second).toContain("- **Probe**: `npm test`");
    expect(second).toContain("_It printed nothing_");
    expect(second).toContain("- **Verdict**: CONFIRMED Its probe showed what was predicted");
    expect(second).not.toContain("`H2`:");
  });

  test("what is known, disproven and open, and what is looked at now", () => {
    const text = debugMd(state(...found));
    expect(section(text, "### What We Know", "### Root")).toContain("- Fails now: `cart > total`");
    expect(section(text, "### What Was Disproven", "### Current")).toContain(
      "- `H2`: cause H2 - the mug costs 10",
    );
    expect(section(text, "### Current Investigation Focus", "### Remaining")).toContain(
      "- The fix of `H1`: cause H1",
    );
    expect(section(text, "### Remaining Questions", "---")).toContain(
      "- `H3`: cause H3 - nothing was shown",
    );
    expect(text).toContain("- **Evidence**: 2 probe runs, see the timeline");
    expect(text).toContain('- **Claimed by the agent**: `"I read it"`');
  });

  test("the focus without a cause is the most likely open question, with its probe", () => {
    const text = debugMd(state(...begun, debugged({ hypotheses: [wrong, unable] })));
    expect(section(text, "### Current Investigation Focus", "### Remaining")).toContain(
      "- `H3`: cause H3, by `python p.py`",
    );
    expect(text).not.toContain("**Standing**");
  });

  test.each<[string, LoopState, string[]]>([
    [
      "open",
      state(...found),
      [
        "- **Fix**: `fix-001` round once (pending)",
        "- **Standing**: open until these tests are green",
      ],
    ],
    [
      "closed",
      state(
        ...found,
        developed("fix-001"),
        validated(true, { tests: { "cart > total": "passed" } }, [
          evidence("H1", { after_fix: true, shows: "does_not_hold" }),
        ]),
      ),
      [
        `- **Fix**: \`fix-001\` round once (${AT})`,
        "- **Would explain**: `cart > total`",
        `- **Standing**: closed ${AT}, when these tests were green again and its probe showed`,
      ],
    ],
    [
      "reopened",
      state(...found, developed("fix-001"), validated(false)),
      [
        "- **Standing**: reopened: the fix did not make these tests green",
        "- **Reasoning**: three runs agree Reopened: after its fix cart \\> total still failed.",
      ],
    ],
  ])("a cause that is %s", (_, loop, parts) => {
    const text = debugMd(loop);
    for (const part of parts) expect(section(text, "### H1 ", "### H2 ")).toContain(part);
  });

  test("an analysis that is under way is told with what it has so far", () => {
    const recorded: LoopEvent = { type: "evidence.recorded", at: AT, hypotheses: [wrong] };
    const text = debugMd(state(...begun, starts("DEBUG"), recorded));
    expect(text).toContain("### Analysis 1 is under way\n\n#### Round 1\n");
    expect(debugLog(state(...begun, recorded))).toEqual([wrong.evidence].flat());
  });
});
