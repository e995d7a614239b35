import { describe, expect, test } from "vitest";
import { debugUpdates, Hypothesis, type Prediction, repetitionText } from "../src/index.ts";
import { probeRun } from "./given.ts";

const shown = probeRun("H1", { output: "8.49" });
const exits = (value: number): Prediction => [{ kind: "exit_code", compare: "=", value }];
const idea = (id: string, changes: Partial<Hypothesis> = {}) =>
  Hypothesis.parse({ id, description: `the idea of ${id}`, ...changes });

test("nothing said is an empty analysis", () => {
  expect(debugUpdates().parse({})).toEqual({
    active_bug: null,
    understanding: "",
    hypotheses: [],
    to_probe: [],
    repeated: [],
    confirmed_hypothesis: null,
    fix_tasks: [],
  });
});

describe("ids", () => {
  test("are minted by order, past the known and the given ones", () => {
    const ideas = [
      "a",
      { id: "H3", description: "b" },
      { description: "c" },
      { id: "H3", description: "d" },
    ];
    const { hypotheses } = debugUpdates([idea("H1")]).parse({ hypotheses: ideas });
    expect(hypotheses.map((h) => [h.id, h.description])).toEqual([
      ["H2", "a"],
      ["H3", "b"],
      ["H4", "c"],
      ["H5", "d"],
    ]);
    expect(hypotheses.map((h) => h.likelihood)).toEqual([1, 2, 3, 4]);
    expect(hypotheses[0]).toMatchObject({ status: "pending", evidence: null });
  });

  test("of a known idea stay its own: quite another idea gets one of its own", () => {
    const known = [idea("H1", { description: "The price is rounded twice" })];
    const read = (description: string, status = "pending") =>
      debugUpdates(known).parse({ hypotheses: [{ id: "H1", description, status }] }).hypotheses[0];
    expect(read("The cache returns a stale session")).toMatchObject({ id: "H2", evidence: null });
    expect(read("It rounds the price twice")?.id).toBe("H1");
    expect(read("In other words", "inconclusive")?.id).toBe("H1");
  });
});

describe("what an answer calls confirmed or rejected says nothing", () => {
  test.each<[string, Partial<Hypothesis>, Record<string, unknown>, string | null, string | null]>([
    ["of a new one", {}, { status: "confirmed" }, "H1", null],
    ["of one with evidence", { evidence: [shown] }, { status: "confirmed" }, "H1", null],
    ["of a rejection", { evidence: [shown] }, { status: "rejected" }, null, null],
    ["by evidence of its own", {}, { status: "confirmed", evidence: [shown] }, "H1", null],
    ["of one that evidence confirmed", { status: "confirmed" }, { status: "rejected" }, "H1", "H1"],
    ["of another name", { status: "confirmed" }, {}, "H9", null],
  ])("%s", (_, known, said, named, confirmed) => {
    const before = idea("H1", known);
    const read = debugUpdates([before]).parse({
      hypotheses: [{ id: "H1", verdict_reason: "I say so", settled_at: "x", ...said }],
      confirmed_hypothesis: named,
    });
    expect(read.hypotheses[0]).toMatchObject({ status: before.status, verdict_reason: null });
    expect(read.hypotheses[0]).not.toHaveProperty("settled_at");
    expect(read.confirmed_hypothesis).toBe(confirmed);
  });

  test("a confirmed one that is only named is chosen", () => {
    const known = [idea("H1", { evidence: [shown], status: "confirmed" }), idea("H2")];
    expect(debugUpdates(known).parse({ confirmed_hypothesis: "H1" })).toMatchObject({
      confirmed_hypothesis: "H1",
      hypotheses: [{ id: "H1", status: "confirmed", evidence: [shown] }],
    });
    expect(debugUpdates(known).parse({ confirmed_hypothesis: "H2" })).toMatchObject({
      confirmed_hypothesis: null,
    });
  });

  test.each([
    ["a sentence", " line 3 throws ", "line 3 throws"],
    ["entries", [{ total: 1 }], [{ total: 1 }]],
    ["an empty text", " ", undefined],
    ["no entries", [], undefined],
  ])("what the agent saw, as %s, is kept as its claim", (_, evidence, claimed) => {
    const read = debugUpdates().parse({ hypotheses: [{ description: "a", evidence }] });
    expect(read.hypotheses[0]).toMatchObject({ evidence: null });
    expect(read.hypotheses[0]?.claimed_evidence).toEqual(claimed);
  });
});

describe("what is known stays", () => {
  const known = idea("H1", {
    testable_condition: "x > 1",
    evidence: [shown],
    evidence_criteria: { confirm: "2", reject: "1" },
    explains: ["cart > total"],
    probe: { command: "node p.js", if_holds: exits(1), if_not: exits(0) },
    verdict_reason: "unclear",
    status: "inconclusive",
    likelihood: 3,
  });

  test("when the answer repeats only the id", () => {
    const criteria = { confirm: "", reject: "" };
    const said = { id: "H1", description: "", evidence_criteria: criteria, status: "rejected" };
    const read = debugUpdates([known], ["other"]).parse({ hypotheses: [said] });
    expect(read.hypotheses).toEqual([known]);
    expect(read.to_probe).toEqual([]);
  });

  test("and a better probe is one that is to be run", () => {
    const probe = { command: "node q.js", if_holds: exits(2), if_not: exits(0) };
    const read = debugUpdates([known]).parse({ hypotheses: [{ id: "H1", probe }] });
    expect(read.hypotheses[0]).toMatchObject({
      probe,
      evidence: [shown],
      verdict_reason: "unclear",
    });
    expect(read.to_probe).toEqual(["H1"]);
  });

  test("an agent can neither close a hypothesis nor settle it", () => {
    const at = "2026-01-22T10:00:00Z";
    const forged = { description: "a", closed_at: at, settled_at: at };
    const read = debugUpdates().parse({ hypotheses: [forged] }).hypotheses[0];
    expect(read).not.toHaveProperty("closed_at");
    expect(read).not.toHaveProperty("settled_at");
  });

  test("a repaired cause that is only told again says nothing; looked at again it is open", () => {
    const closed = idea("H1", {
      status: "confirmed",
      evidence: [shown],
      closed_at: "2026-01-22T10:00:00Z",
    });
    const read = (said: object, named: string | null = null) =>
      debugUpdates([closed]).parse({
        hypotheses: [{ id: "H1", ...said }],
        confirmed_hypothesis: named,
      });
    expect(read({ status: "confirmed" })).toMatchObject({
      hypotheses: [],
      confirmed_hypothesis: null,
    });
    const again = read({ status: "confirmed" }, "H1");
    expect(again.confirmed_hypothesis).toBe("H1");
    expect(again.hypotheses[0]).not.toHaveProperty("closed_at");
    expect(read({ status: "pending" }).hypotheses[0]).not.toHaveProperty("closed_at");
  });
});

describe("a probe", () => {
  test.each<[string, unknown, unknown]>([
    ["a command alone", "node p.js", { command: "node p.js", if_holds: [], if_not: [] }],
    [
      "with one condition each",
      { command: "x", if_holds: exits(1)[0], if_not: exits(0)[0] },
      { command: "x", if_holds: exits(1), if_not: exits(0) },
    ],
    [
      "of the project's own tests, with predictions that nothing can be compared with",
      { command: null, if_holds: "red", if_not: [{ kind: "number", value: "many" }] },
      { command: null, if_holds: [], if_not: [] },
    ],
    ["none", null, undefined],
    ["of no command", { if_holds: exits(0) }, undefined],
    ["of an empty command", { command: " ", if_holds: exits(0) }, undefined],
    ["a number", 7, undefined],
  ])("%s", (_, probe, read) => {
    const answer = debugUpdates().parse({ hypotheses: [{ description: "a", probe }] });
    expect(answer.hypotheses[0]?.probe).toEqual(read);
    expect(answer.to_probe).toEqual(read === undefined ? [] : ["H1"]);
  });
});

describe("the tests that an idea explains", () => {
  const failing = ["cart > total", "cart > subtotal", "shop > cart > tax", "tax > tax"];
  test.each<[string, unknown, string[]]>([
    ["by id", ["cart > total"], ["cart > total"]],
    ["by name", ["Subtotal"], ["cart > subtotal"]],
    ["by a name that two have", ["tax"], failing],
    ["unknown ones", ["nothing"], failing],
    ["as one text", "cart  > total", ["cart > total"]],
    ["not said", undefined, failing],
    ["null", null, failing],
    ["numbers", [1], failing],
  ])("%s", (_, explains, tests) => {
    const read = debugUpdates([], failing).parse({ hypotheses: [{ description: "a", explains }] });
    expect(read.hypotheses[0]?.explains).toEqual(tests);
  });
});

describe("a rejected idea", () => {
  const rejected = idea("H2", {
    description: "The discount is taken off twice",
    status: "rejected",
    evidence: [shown],
    verdict_reason: "The mug costs 10.",
  });
  const read = (hypotheses: unknown[], named: string | null = null) =>
    debugUpdates([rejected]).parse({ hypotheses, confirmed_hypothesis: named });

  test.each<[string, object]>([
    ["under its own id", { id: "H2", description: "something else", status: "pending" }],
    ["under another id", { id: "H4", description: "the discount was taken off twice." }],
    ["without an id", { description: "Twice, the discount is taken off" }],
    ["as confirmed", { id: "H2", status: "confirmed" }],
  ])("is not taken in again %s", (_, again) => {
    const answer = read([again, { description: "The cache is stale" }]);
    expect(answer.hypotheses.map((h) => h.description)).toEqual(["The cache is stale"]);
    expect(answer.repeated).toMatchObject([{ repeats: "H2", reason: "The mug costs 10." }]);
  });

  test("cannot be named as the cause", () => {
    expect(read([], "H2")).toMatchObject({ confirmed_hypothesis: null, repeated: [{ id: "H2" }] });
  });

  test("that is only told again is no proposal", () => {
    expect(read([{ id: "H2", status: "rejected" }])).toMatchObject({
      hypotheses: [],
      repeated: [],
    });
  });

  test("is named with the reason", () => {
    const reason = "The mug costs 10.";
    expect(repetitionText({ id: "H4", repeats: "H2", reason })).toBe(
      "H4 repeats H2, which was rejected because The mug costs 10.",
    );
    expect(repetitionText({ id: "H2", repeats: "H2", reason: null })).toBe(
      "H2 was proposed again, which was rejected.",
    );
  });
});

test("is found in the state's own place, and keeps unknown fields of an idea", () => {
  const read = debugUpdates().parse({
    debug: { active_bug: " bug ", hypotheses: [{ description: "a", severity: "x" }] },
    fix_tasks: ["repair", { description: "again", fixes: "H1" }],
  });
  expect(read).toMatchObject({
    active_bug: "bug",
    hypotheses: [{ id: "H1", severity: "x" }],
    fix_tasks: [{ description: "repair" }, { description: "again", fixes: "H1" }],
  });
});

test.each([[{ hypotheses: [{ id: "H1" }] }], [{ hypotheses: [7] }], ["text"], [null]])(
  "%j is refused",
  (updates) => {
    expect(debugUpdates().safeParse(updates).success).toBe(false);
  },
);
