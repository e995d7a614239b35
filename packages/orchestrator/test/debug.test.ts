import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderProgress } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { answers, begun, cause, idea, ideaOf, known, probesOf, run, shown } from "./probing.ts";
import { bench, journal, verifierThat, write } from "./support.ts";

describe("a cause", () => {
  test("is confirmed by what its probe showed, becomes a task, and is closed by green tests", async () => {
    const { state, done } = await run([
      answers("DEBUG", [idea("H1", "it adds twice", "node total.js")], {
        expect: ["cart > total: 1 is not 2"],
      }),
      answers("DEBUG VERDICT", [known("H1")], {
        expect: [
          "H1: it adds twice",
          "probe: node total.js",
          'if it holds: output is "2"',
          "exit code 0",
          "    | 2",
        ],
        ...cause,
      }),
      write("total.js", "console.log(1)"),
    ]);
    expect(done.slice(2)).toEqual([
      "VALIDATE(fail)",
      "DEBUG",
      "DEVELOP",
      "VALIDATE(pass)",
      "COMPLETE",
    ]);
    expect(shown(state, "H1")).toMatchObject([
      {
        command: "node total.js",
        exit_code: 0,
        output: "2\n",
        instrumented: [],
        iteration: 1,
        round: 1,
        shows: "holds",
      },
      { output: "1\n", after_fix: true, shows: "does_not_hold" },
    ]);
    expect(ideaOf(state, "H1")).toMatchObject({
      status: "confirmed",
      explains: ["cart > total"],
      closed_at: expect.any(String),
      settled_at: expect.any(String),
    });
    expect(state.skill_state?.develop.tasks.at(-1)).toMatchObject({
      fixes: "H1",
      description: "round once",
      status: "completed",
    });
    const log = JSON.parse(renderProgress(state)["debug.log"]?.split("\n")[0] ?? "");
    expect(log).toMatchObject({ hid: "H1", func: "probe", data: { output: "2\n" } });
  });

  test("whose fix does not turn the tests green is open again, and its evidence stays", async () => {
    const { state } = await run(
      [
        answers("DEBUG", [idea("H1", "it adds twice", "node total.js")]),
        answers("DEBUG VERDICT", [known("H1")], cause),
        write("total.js", "console.log(1)"),
        answers("DEBUG", [idea("H2", "the cache is stale", "echo cache")], {
          expect: [
            "inconclusive H1: it adds twice (Its probe showed what was predicted if it holds. Reopened: after its fix cart > total still failed.)",
          ],
        }),
        answers("DEBUG VERDICT", [known("H2")]),
      ],
      ["fail", "fail"],
    );
    expect(ideaOf(state, "H1").status).toBe("inconclusive");
    expect(shown(state, "H1")).toHaveLength(2);
    expect(renderProgress(state)["debug.md"]).toContain("- **Standing**: reopened:");
  });
});

describe("a verdict without evidence is refused", () => {
  test("whatever the agent says it saw, and the loop asks once for a probe", async () => {
    const claim = { description: "it adds twice", status: "confirmed", evidence: [{ total: 2 }] };
    const { state, done } = await run([
      answers("DEBUG", [{ id: "H1", ...claim }], { confirmed_hypothesis: "H1" }),
      answers("DEBUG PROBES", [{ id: "H1", ...claim, probe: null }], {
        ...cause,
        expect: ["no probe that can be run"],
      }),
      ...Array.from({ length: 4 }, () => answers("DEBUG", [])),
      ...Array.from({ length: 4 }, () => answers("DEBUG PROBES", [])),
    ]);
    expect(ideaOf(state, "H1")).toMatchObject({
      status: "inconclusive",
      evidence: null,
      claimed_evidence: [{ total: 2 }],
      verdict_reason: "No probe was given that could decide it.",
    });
    expect(state.skill_state?.develop.tasks).toHaveLength(1);
    expect(done.slice(3)).toEqual(["DEBUG", "DEBUG", "DEBUG", "DEBUG", "COMPLETE"]);
    expect(state.outcome?.code).toBe("max_iterations");
  });
});

test("what the agent says of a hypothesis counts nothing beside its probe", async () => {
  const denied = { ...known("H1"), status: "rejected", verdict_reason: "I do not think so" };
  const { state } = await run([
    answers("DEBUG", [idea("H1", "it adds twice", "node total.js", { status: "rejected" })]),
    answers("DEBUG VERDICT", [denied]),
    write("total.js", "console.log(1)"),
  ]);
  expect(ideaOf(state, "H1")).toMatchObject({
    status: "confirmed",
    verdict_reason: "Its probe showed what was predicted if it holds.",
  });
  expect(state.skill_state?.develop.tasks.at(-1)).toMatchObject({ fixes: "H1" });
});

describe("rounds", () => {
  const better = idea("H1", "it adds twice", "node total.js");

  test("go on with a better probe while nothing is decided", async () => {
    const { state } = await run([
      answers("DEBUG", [idea("H1", "it adds twice", "echo ?")]),
      answers("DEBUG VERDICT", [better], {
        expect: ["    | ?", "Rounds of probes left: 2"],
      }),
      answers("DEBUG VERDICT", [known("H1")], {
        expect: ["    | 2", "left: 1"],
        ...cause,
      }),
      write("total.js", "console.log(1)"),
    ]);
    expect(probesOf(state, "H1")).toEqual(["echo ?", "node total.js", "node total.js"]);
    expect(shown(state, "H1").map(({ round }) => round)).toEqual([1, 2, undefined]);
    expect(ideaOf(state, "H1").status).toBe("confirmed");
    const text = renderProgress(state)["debug.md"] ?? "";
    expect(text.indexOf("#### Round 1")).toBeLessThan(text.indexOf("met neither prediction"));
    expect(text.indexOf("#### Round 2")).toBeGreaterThan(text.indexOf("met neither prediction"));
  });

  test("are three at most, with five probes each, the most likely first", async () => {
    const many = Array.from({ length: 7 }, (_, n) =>
      idea(`H${n}`, `idea of the letter ${"abcdefg"[n]}`, `echo ${n + 3}`, { likelihood: 7 - n }),
    );
    const { done, state, store, id } = await run(
      [answers("DEBUG", many), ...Array.from({ length: 9 }, () => answers("DEBUG VERDICT", many))],
      ["fail"],
      {},
    );
    const recorded = (await journal(store, id)).flatMap(({ event }) =>
      event.type === "evidence.recorded" && event.hypotheses.length === 1 ? event.hypotheses : [],
    );
    expect(recorded.slice(0, 5).map((h) => h.id)).toEqual(["H6", "H5", "H4", "H3", "H2"]);
    const first = state.skill_state?.debug.hypotheses.flatMap((h) => shown(state, h.id)) ?? [];
    expect(first.filter(({ iteration }) => iteration === 1)).toHaveLength(15);
    expect(done[3]).toBe("DEBUG");
    expect(ideaOf(state, "H0").verdict_reason).toContain("was not run");
  });
});

describe("a rejected idea", () => {
  const ONE = "node total.js | sed s/2/1/";
  const rejecting = [
    answers("DEBUG", [idea("H2", "The discount is taken off twice", ONE)]),
    answers("DEBUG VERDICT", [known("H2")]),
  ];

  test("that is proposed again is not probed again, and the next prompt and the note name it", async () => {
    const { state } = await run([
      ...rejecting,
      answers("DEBUG", [idea("H4", "the discounts are taken off twice", "echo again")], {
        expect: [
          "rejected H2: The discount is taken off twice (Its probe showed what was predicted if it does not hold.)",
        ],
      }),
      answers("DEBUG PROBES", [idea("H1", "it adds twice", "node total.js")], {
        expect: [
          "H4 repeats H2, which was rejected because Its probe showed what was predicted if it does not hold.",
        ],
      }),
      answers("DEBUG VERDICT", [known("H1")], { expect: ["rejected H2"], ...cause }),
      write("total.js", "console.log(1)"),
    ]);
    expect(probesOf(state, "H2", "H1")).toEqual([ONE, "node total.js", "node total.js"]);
    expect(state.skill_state?.debug.hypotheses.map((h) => h.id)).toEqual(["H2", "H1"]);
    expect(state.skill_state?.debug.notes?.at(-1)?.text).toContain("H4 repeats H2");
    expect(state.status).toBe("completed");
  });
});

test("the limits of the loop hold between probe and verdict, and what was shown is on record", async () => {
  const turns = [...begun, answers("DEBUG", [idea("H1", "it adds twice", "node total.js")])];
  const b = bench(turns, verifierThat("fail"));
  const state = await b.service.run(await b.start({ limits: { max_turns: 3 } }));
  expect(state.outcome?.code).toBe("max_turns");
  expect(shown(state, "H1")).toMatchObject([{ output: "2\n" }]);
});

test("DEBUG changes nothing of the project by itself", async () => {
  const { state, dir, store, id } = await run([
    answers("DEBUG", [idea("H1", "it adds twice", "node total.js")]),
    answers("DEBUG VERDICT", [known("H1")], cause),
    write("total.js", "console.log(1)"),
  ]);
  const debugs = (await journal(store, id)).flatMap(({ event }) =>
    event.type === "action.completed" && event.output.action === "DEBUG" ? [event.output] : [],
  );
  expect(debugs).toMatchObject([{ files_changed: [] }]);
  expect(readFileSync(join(dir, "total.js"), "utf8")).toBe("console.log(1)");
  expect(state.status).toBe("completed");
});
