import { LoopError } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { agentBut } from "./interfere.ts";
import { answers, begun, cause, idea, ideaOf, run, shown, verdict } from "./probing.ts";
import { journal, type Turns, write } from "./support.ts";

describe("a probe", () => {
  const turns = (output: string): Turns => [
    answers("DEBUG", [idea("H1", "it adds twice", "node total.js"), idea("H2", "it is red", null)]),
    answers("DEBUG VERDICT", [verdict("H1", "confirmed")], { expect: [output], ...cause }),
    write("total.js", "console.log(1)"),
  ];

  test("runs in the agent's own sandbox where it has one; the project's tests as VALIDATE runs them", async () => {
    const { state } = await run(turns("    | 2"));
    expect(shown(state, "H1")).toMatchObject([{ command: "node total.js", output: "2\n" }]);
    expect(shown(state, "H2")).toMatchObject([{ command: "npm test", output: "probed" }]);
  });

  test("runs as the tests do where the agent has no sandbox", async () => {
    const agent = agentBut([...begun, ...turns("    | probed")], () => ({}));
    const { state } = await run([], ["fail", "pass"], { agent: async () => agent });
    expect(shown(state, "H1")).toMatchObject([{ command: "node total.js", output: "probed" }]);
  });

  test("that floods is bounded, in the state and in the prompt", async () => {
    const flood = `node -e "for (let i = 0; i < 1e5; i += 1) console.log('line', i)"`;
    const { state, store, id } = await run([
      answers("DEBUG", [idea("H1", "it adds twice", flood)]),
      answers("DEBUG VERDICT", [verdict("H1", "confirmed")], {
        expect: ["    | line 99999"],
        ...cause,
      }),
      write("total.js", "console.log(1)"),
    ]);
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
      answers("DEBUG VERDICT", [verdict("H1", "confirmed")], {
        expect: ["did not end and was stopped"],
        ...cause,
      }),
      write("total.js", "console.log(1)"),
    ];
    const agent = agentBut(slow, () => ({
      exec: async (_, { timeoutMs }) => {
        given.push(timeoutMs);
        return { exit_code: null, output: "", timed_out: true };
      },
    }));
    const { state } = await run([], ["fail", "pass"], { agent: async () => agent });
    expect(given).toEqual([120_000]);
    expect(shown(state, "H1")).toMatchObject([{ timed_out: true, exit_code: null }]);
    expect(ideaOf(state, "H1").status).toBe("confirmed");
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
});
