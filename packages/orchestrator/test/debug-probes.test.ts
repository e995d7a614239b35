import { type Activity, LoopError } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { agentBut } from "./interfere.ts";
import { answers, begun, cause, idea, ideaOf, known, prints, run, shown } from "./probing.ts";
import { journal, type Turns, write } from "./support.ts";

describe("a probe", () => {
  const turns = (output: string): Turns => [
    answers("DEBUG", [idea("H1", "it adds twice", "node total.js"), idea("H2", "it is red", null)]),
    answers("DEBUG VERDICT", [known("H1")], { expect: [output], ...cause }),
    write("total.js", "console.log(1)"),
  ];

  test("runs in the agent's own sandbox where it has one; the project's tests as VALIDATE runs them", async () => {
    const { state } = await run(turns("    | 2"));
    expect(shown(state, "H1")).toMatchObject([
      { command: "node total.js", output: "2\n", shows: "holds" },
      { command: "node total.js", output: "1\n", shows: "does_not_hold", after_fix: true },
    ]);
    expect(shown(state, "H2")).toMatchObject([{ command: "npm test", output: "probed" }]);
  });

  test("is told of once, though it also runs in an empty folder for comparison", async () => {
    const { store, id } = await run(turns("    | 2"));
    const told: string[] = [];
    for await (const { record } of store.readLog(id)) {
      const { event } = record as Activity;
      if (event.type === "command.started") told.push(event.command);
    }
    // Before the fix and behind it.
    expect(told.filter((command) => command.endsWith("node total.js"))).toEqual([
      "node total.js",
      "node total.js",
    ]);
  });

  test("runs as the tests do where the agent has no sandbox", async () => {
    const answered = answers("DEBUG VERDICT", [known("H1")], { expect: ["    | probed"] });
    const agent = agentBut([...begun, ...turns("").slice(0, 1), answered], () => ({}));
    const ports = { agent: async () => agent, commandProblem: async () => null };
    const { state } = await run([], ["fail"], ports);
    expect(shown(state, "H1")).toMatchObject([{ command: "node total.js", output: "probed" }]);
  });

  test("is not run where no sandbox holds it and the policy for agents declines it", async () => {
    const answered = answers("DEBUG VERDICT", [known("H1")], { expect: ["was not run: no."] });
    const agent = agentBut([...begun, ...turns("").slice(0, 1), answered], () => ({}));
    const ports = { agent: async () => agent, commandProblem: async () => "no" };
    const { state } = await run([], ["fail"], ports);
    const not_run = "A command that no operator named was not run: no.";
    expect(shown(state, "H1")).toMatchObject([{ not_run, output: "" }]);
  });

  test("that floods is bounded, in the state and in the prompt", async () => {
    const flood = `node -e "for (let i = 0; i < 1e5; i += 1) console.log('line', i)"`;
    const { state, store, id } = await run(
      [
        answers("DEBUG", [idea("H1", "it adds twice", flood)]),
        answers("DEBUG VERDICT", [known("H1")], { expect: ["    | line 99999"] }),
      ],
      ["fail"],
    );
    const [probe] = shown(state, "H1");
    expect(probe?.output.length).toBeLessThanOrEqual(4_000);
    expect(probe?.output).toMatch(/line 99999\n$/);
    expect(JSON.stringify(await journal(store, id)).length).toBeLessThan(300_000);
  });

  test("has two minutes, and one that does not end shows just that", async () => {
    const given: number[] = [];
    const slow: Turns = [
      ...begun,
      answers("DEBUG", [idea("H1", "it hangs", "sleep 1000")]),
      answers("DEBUG VERDICT", [known("H1")], { expect: ["did not end and was stopped"] }),
    ];
    const agent = agentBut(slow, () => ({
      exec: async (_, { timeoutMs }) => {
        given.push(timeoutMs);
        return { exit_code: null, output: "", timed_out: true };
      },
    }));
    const { state } = await run([], ["fail"], { agent: async () => agent });
    expect(given).toEqual([120_000]);
    expect(shown(state, "H1")).toMatchObject([{ timed_out: true, exit_code: null }]);
    expect(ideaOf(state, "H1").status).toBe("inconclusive");
  });

  test.each(["agent_died", "sandbox_unavailable"] as const)(
    "that fails with %s shows nothing",
    async (code) => {
      const agent = agentBut([...begun, ...turns("could not be run, so it shows nothing")], () => ({
        exec: () => Promise.reject(new LoopError(code, "The sandbox is gone.")),
      }));
      const { state } = await run([], ["fail", "fail"], { agent: async () => agent });
      expect(shown(state, "H1")).toMatchObject([{ not_run: "The sandbox is gone." }]);
      expect(ideaOf(state, "H1").status).toBe("inconclusive");
    },
  );

  const sides = (if_holds: unknown, if_not: unknown) => ({ if_holds, if_not });
  const exits = (value: number) => [{ kind: "exit_code", compare: "=", value }];
  test.each<[string, string, object, string]>([
    ["echo", "echo 2", sides(prints("2"), prints("1")), "does not test the project"],
    ["true", "true", sides(exits(0), exits(1)), "does not test the project"],
    ["false", "false", sides(exits(0), exits(1)), "does not test the project"],
    [
      "a missing program",
      "no-such-program-anywhere",
      sides(exits(127), exits(0)),
      "could not be run",
    ],
    [
      "a missing program in a pipe",
      "no-such-program-anywhere 2>&1 | wc -l | tr -d ' '",
      sides(prints("1"), prints("0")),
      "does not test the project",
    ],
    [
      "a search that takes too long",
      "cat total.js; echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      sides(
        [{ kind: "pattern", pattern: "(a+)+$x", found: true }],
        [{ kind: "pattern", pattern: "(a+)+$x", found: false }],
      ),
      "cannot be compared",
    ],
  ])("of %s confirms and rejects nothing", async (_, command, predictions, why) => {
    const { state } = await run(
      [
        answers("DEBUG", [
          idea("H1", "it adds twice", null, { probe: { command, ...predictions } }),
        ]),
        answers("DEBUG VERDICT", [], cause),
      ],
      ["fail"],
    );
    expect(ideaOf(state, "H1")).toMatchObject({
      status: "inconclusive",
      verdict_reason: expect.stringContaining(why),
    });
    expect(state.skill_state?.debug.confirmed_hypothesis).toBeNull();
    expect(state.skill_state?.develop.tasks).toHaveLength(1);
  });

  test("whose predictions cannot be told apart is sent back with the reason, and not run", async () => {
    const probe = { command: "node total.js", ...sides(prints("2"), prints(" 2 ")) };
    const { state } = await run([
      answers("DEBUG", [idea("H1", "it adds twice", null, { probe })]),
      answers("DEBUG PROBES", [idea("H1", "it adds twice", "node total.js")], {
        expect: ["The probe of H1 was not run. Its two predictions cannot be told apart"],
      }),
      answers("DEBUG VERDICT", [known("H1")], cause),
      write("total.js", "console.log(1)"),
    ]);
    expect(state.status).toBe("completed");
    expect(shown(state, "H1")).toHaveLength(2);
    expect(ideaOf(state, "H1").settled_at).toEqual(expect.any(String));
  });

  test("that shows no change after the fix leaves its cause unsettled: DEBUG looks again, and then a person is asked", async () => {
    const { state, done } = await run([
      answers("DEBUG", [idea("H1", "it adds twice", "node total.js")]),
      answers("DEBUG VERDICT", [known("H1")], cause),
      write("other.js", "console.log(1)"),
      answers("DEBUG", [], {
        expect: ["confirmed, not settled H1", "did not show that it does not hold"],
      }),
      answers("DEBUG PROBES", []),
    ]);
    expect(done.slice(3)).toEqual([
      "DEBUG",
      "DEVELOP",
      "VALIDATE(pass)",
      "DEBUG",
      "COMPLETE(interrupted)",
    ]);
    expect(state.waiting).toMatchObject({ kind: "approval", about: "objections" });
    expect(state.waiting?.prompt).toContain("The cause H1 (it adds twice) is not settled");
    expect(shown(state, "H1").at(-1)).toMatchObject({ after_fix: true, shows: "holds" });
  });
});
