import { isLoopError, LoopError } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { fakeClock, plannedAgent, type TurnPlan } from "../../src/index.ts";

const OPEN = { cwd: "/", instructions: "", scope: { loop: "a", epoch: 1 } };
const PLAN: TurnPlan = {
  after: 1000,
  ending: { kind: "answer", text: "done" },
  usage: null,
  flood: 0,
  lag: 0,
};

async function begin(plan: Partial<TurnPlan>, refused: LoopError | null = null) {
  const clock = fakeClock();
  const killed = new AbortController();
  const did: string[] = [];
  const agent = plannedAgent({
    clock,
    opening: () => ({ after: 0, refused }),
    turn: () => ({ ...PLAN, ...plan }),
    begin: () => ({
      work: () => did.push("work"),
      end: () => did.push("end"),
      killed: killed.signal,
    }),
    reachCaller: async () => undefined,
  });
  const opening = agent.open(OPEN);
  opening.catch(() => undefined);
  await clock.advance(1);
  const session = await opening;
  const abort = new AbortController();
  const events: string[] = [];
  const onEvent = ({ type }: { type: string }) => void events.push(type);
  const turn = session.run("go", { signal: abort.signal, onEvent });
  turn.catch(() => undefined);
  return { clock, killed, abort, did, events, turn };
}

test("a turn works at its half and answers at its end", async () => {
  const { clock, did, turn } = await begin({});
  await clock.advance(500);
  expect(did).toEqual(["work"]);
  await clock.advance(500);
  await expect(turn).resolves.toEqual({ text: "done", usage: null });
  expect(did).toEqual(["work", "end"]);
});

test.each([
  ["die", "agent_died"],
  ["fail", "agent_failed"],
  ["usage_limit", "usage_limit"],
  ["rate_limited", "rate_limited"],
] as const)("a turn can %s", async (kind, code) => {
  const { clock, did, turn } = await begin({ ending: { kind } });
  await clock.advance(1000);
  await expect(turn).rejects.toSatisfy((error) => isLoopError(error, code));
  expect(did.at(-1)).toBe("end");
});

test("a usage limit tells its reset time when it has one", async () => {
  const resets_at = "2030-01-01T01:00:00Z";
  const { clock, turn } = await begin({ ending: { kind: "usage_limit", resets_at } });
  await clock.advance(1000);
  await expect(turn).rejects.toMatchObject({ details: { resets_at } });
});

test("a turn that hangs ends with its abort, as late as the plan says", async () => {
  const { clock, abort, did, turn } = await begin({ ending: { kind: "hang" }, lag: 40 });
  await clock.advance(100_000);
  abort.abort(new Error("stop"));
  await clock.advance(39);
  expect(did).toEqual(["work"]);
  await clock.advance(1);
  await expect(turn).rejects.toThrow("stop");
  expect(did).toEqual(["work", "end"]);
});

test("whoever ends its process ends the turn", async () => {
  const { clock, killed, turn } = await begin({});
  await clock.advance(10);
  killed.abort();
  await clock.advance(1);
  await expect(turn).rejects.toSatisfy((error) => isLoopError(error, "agent_died"));
});

test("a flood of events comes before the end", async () => {
  const { clock, events, turn } = await begin({ flood: 5000 });
  await clock.advance(1000);
  await turn;
  expect(events.filter((type) => type === "message.delta")).toHaveLength(5000);
});

test("it can refuse to open", async () => {
  const refused = new LoopError("agent_unavailable", "No.");
  await expect(begin({}, refused)).rejects.toBe(refused);
});
