import { describe, expect, test } from "vitest";
import {
  DebugUpdates,
  DevelopUpdates,
  debugUpdates,
  Hypothesis,
  InitUpdates,
} from "../src/index.ts";

describe("InitUpdates", () => {
  test.each<[string, unknown, unknown[]]>([
    ["tasks", { tasks: [{ description: " a " }] }, [{ description: "a" }]],
    ["tasks in words", { tasks: ["a", "b"] }, [{ description: "a" }, { description: "b" }]],
    [
      "titles",
      { tasks: [{ title: "a" }, { task: "b" }] },
      [{ description: "a" }, { description: "b" }],
    ],
    ["in develop", { develop: { tasks: ["a"] } }, [{ description: "a" }]],
    ["in skill_state", { skill_state: { develop: { tasks: ["a"] } } }, [{ description: "a" }]],
    [
      "with a tool",
      { tasks: [{ description: "a", tool: "bash", mode: null }] },
      [{ description: "a", tool: "bash" }],
    ],
  ])("%s", (_, updates, tasks) => {
    expect(InitUpdates.parse(updates)).toEqual({ tasks });
  });

  test("an agent cannot declare a task done or choose its id", () => {
    const task = { description: "a", id: "x", status: "completed", attempts: 0, debugged: true };
    expect(Object.keys(InitUpdates.parse({ tasks: [task] }).tasks[0] ?? {})).not.toContain(
      "status",
    );
    expect(InitUpdates.parse({ tasks: [task] }).tasks).toEqual([{ description: "a" }]);
  });

  test.each([[{}], [{ tasks: [] }], [{ tasks: [{ description: " " }] }], [{ tasks: [7] }], [null]])(
    "%j is refused",
    (updates) => {
      expect(InitUpdates.safeParse(updates).success).toBe(false);
    },
  );
});

test.each<[unknown, string]>([
  [{ summary: " done " }, "done"],
  [{ develop: { summary: "done" } }, "done"],
  [{ summary: null }, ""],
  [{}, ""],
])("DevelopUpdates of %j", (updates, summary) => {
  expect(DevelopUpdates.parse(updates)).toEqual({ summary });
});

describe("DebugUpdates", () => {
  const seen = { observed: "line 3 throws" };

  test("nothing said is an empty analysis", () => {
    expect(DebugUpdates.parse({})).toEqual({
      active_bug: null,
      understanding: "",
      hypotheses: [],
      confirmed_hypothesis: null,
      fix_tasks: [],
    });
  });

  test("ids are minted by order, past the known and the given ones", () => {
    const known = [Hypothesis.parse({ id: "H1", description: "old" })];
    const ideas = [
      "a",
      { id: "H3", description: "b" },
      { description: "c" },
      { id: "H3", description: "d" },
    ];
    const { hypotheses } = debugUpdates(known).parse({ hypotheses: ideas });
    expect(hypotheses.map((h) => [h.id, h.description])).toEqual([
      ["H2", "a"],
      ["H3", "b"],
      ["H4", "c"],
      ["H5", "d"],
    ]);
    expect(hypotheses.map((h) => h.likelihood)).toEqual([1, 2, 3, 4]);
  });

  test("the ids of a first analysis begin at H1", () => {
    const { hypotheses } = DebugUpdates.parse({ hypotheses: ["a", "b"] });
    expect(hypotheses.map((h) => h.id)).toEqual(["H1", "H2"]);
    expect(hypotheses[0]).toMatchObject({ status: "pending", evidence: null });
  });

  test.each<[string, Record<string, unknown>, string | null, string, string | null]>([
    ["confirmed with evidence", { status: "confirmed", evidence: seen }, "H1", "confirmed", "H1"],
    ["confirmed, not named", { status: "confirmed", evidence: seen }, null, "confirmed", "H1"],
    ["named, with evidence", { status: "pending", evidence: seen }, "H1", "confirmed", "H1"],
    ["evidence in a sentence", { status: "confirmed", evidence: "seen" }, "H1", "confirmed", "H1"],
    ["evidence as entries", { status: "confirmed", evidence: [1] }, "H1", "confirmed", "H1"],
    ["confirmed without evidence", { status: "confirmed" }, "H1", "inconclusive", null],
    ["confirmed on null", { status: "confirmed", evidence: null }, "H1", "inconclusive", null],
    [
      "confirmed on an empty object",
      { status: "confirmed", evidence: {} },
      "H1",
      "inconclusive",
      null,
    ],
    ["confirmed on no entries", { status: "confirmed", evidence: [] }, "H1", "inconclusive", null],
    [
      "confirmed on an empty text",
      { status: "confirmed", evidence: " " },
      "H1",
      "inconclusive",
      null,
    ],
    ["named without evidence", { status: "pending" }, "H1", "inconclusive", null],
    ["rejected with evidence", { status: "rejected", evidence: seen }, null, "rejected", null],
    ["rejected without evidence", { status: "rejected" }, null, "inconclusive", null],
    ["pending", { status: "pending" }, null, "pending", null],
    ["pending, another named", { status: "pending" }, "H9", "pending", null],
  ])("%s", (_, idea, named, status, confirmed) => {
    const read = DebugUpdates.parse({
      hypotheses: [{ id: "H1", description: "a", ...idea }],
      confirmed_hypothesis: named,
    });
    expect(read.hypotheses[0]?.status).toBe(status);
    expect(read.confirmed_hypothesis).toBe(confirmed);
    if (status === "inconclusive") {
      expect(read.hypotheses[0]?.verdict_reason).toMatch(/without evidence/);
    }
  });

  test("an earlier hypothesis that is named now is judged by the evidence it has", () => {
    const known = [
      Hypothesis.parse({ id: "H1", description: "a", evidence: seen }),
      Hypothesis.parse({ id: "H2", description: "b" }),
    ];
    const proven = debugUpdates(known).parse({ confirmed_hypothesis: "H1" });
    expect(proven).toMatchObject({
      confirmed_hypothesis: "H1",
      hypotheses: [{ id: "H1", status: "confirmed", evidence: seen }],
    });
    const claimed = debugUpdates(known).parse({ confirmed_hypothesis: "H2" });
    expect(claimed).toMatchObject({
      confirmed_hypothesis: null,
      hypotheses: [{ id: "H2", status: "inconclusive" }],
    });
  });

  test("is found in the state's own place, and keeps unknown fields of an idea", () => {
    const read = DebugUpdates.parse({
      debug: { active_bug: " bug ", hypotheses: [{ description: "a", probe: "x" }] },
      fix_tasks: ["repair", { description: "again", fixes: "H1" }],
    });
    expect(read).toMatchObject({
      active_bug: "bug",
      hypotheses: [{ id: "H1", probe: "x" }],
      fix_tasks: [{ description: "repair" }, { description: "again", fixes: "H1" }],
    });
  });

  test.each([[{ hypotheses: [{ id: "H1" }] }], [{ hypotheses: [7] }], ["text"], [null]])(
    "%j is refused",
    (updates) => {
      expect(DebugUpdates.safeParse(updates).success).toBe(false);
    },
  );
});
