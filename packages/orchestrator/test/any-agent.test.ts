import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Agent, LoopError, type LoopState, type TurnOptions } from "@ccw-loop/core";
import { sampleVerification } from "@ccw-loop/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { bench, cause, journal, untilAborted, verifierThat } from "./support.ts";

const ERRORS = [
  "agent_failed",
  "agent_died",
  "rate_limited",
  "usage_limit",
  "context_overflow",
] as const;

/** What a turn comes to; every one of them takes its tokens and may write a file. */
const turn = fc.record({
  end: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("success", "failed", "cause", "fixes") },
    { weight: 3, arbitrary: fc.constantFrom(...ERRORS) },
    { weight: 2, arbitrary: fc.constantFrom("garbage", "hangs", "unknown error", "other action") },
    { weight: 1, arbitrary: fc.constant("needs_input") },
  ),
  tokens: fc.integer({ min: 0, max: 40_000 }),
  file: fc.option(fc.nat(5)),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const LIMITS = {
  max_turns: 40,
  max_tokens: 600_000,
  max_cost_usd: 5,
  max_stalled: 9,
  turn_timeout_ms: 40,
  max_duration_ms: 60_000,
};

function agentThat(turns: readonly Turn[], dir: string): Agent {
  let played = 0;
  const run = async (prompt: string, { signal, onEvent }: TurnOptions) => {
    const { end, tokens, file } = turns[played++ % turns.length] as Turn;
    const usage = {
      input_tokens: tokens,
      cached_input_tokens: 0,
      output_tokens: 0,
      total_tokens: tokens,
      cost_usd: tokens / 100_000,
    };
    onEvent?.({ type: "usage.updated", usage });
    if (file !== null) await writeFile(join(dir, `file-${file}`), String(file));
    if (end === "hangs") await untilAborted(signal);
    signal.throwIfAborted();
    if (end === "unknown error") throw new TypeError("nobody expected this");
    const code = ERRORS.find((one) => one === end);
    if (code) throw new LoopError(code, `It fails with ${code}.`);
    return { text: end === "garbage" ? "{ no json" : answer(prompt, end), usage };
  };
  return {
    driver: "any",
    check: async () => ({ ok: true, version: null, problems: [], notes: [] }),
    open: async () => ({
      id: null,
      run,
      steer: async () => undefined,
      close: async () => undefined,
    }),
  };
}

function answer(prompt: string, end: string): string {
  const asked = /# ACTION: (\w+)/.exec(prompt)?.[1] ?? "DEVELOP";
  const updates = {
    tasks: [{ description: "one" }, { description: "two" }],
    summary: "did it",
    active_bug: null,
    understanding: "hm",
    hypotheses: end === "cause" || end === "fixes" ? cause.hypotheses : [],
    confirmed_hypothesis: end === "cause" || end === "fixes" ? "H1" : null,
    fix_tasks: end === "fixes" ? Array.from({ length: 6 }, () => ({ description: "fix" })) : [],
  };
  const status = end === "failed" || end === "needs_input" ? end : "success";
  const action = end === "other action" ? "VALIDATE" : asked;
  return JSON.stringify({ action, status, message: end, state_updates: updates });
}

/** Whether a person, or nobody any more, has the next word. */
function isOver({ status, waiting }: LoopState): boolean {
  return (
    status === "completed" ||
    status === "failed" ||
    (waiting && waiting.kind !== "usage_limit") === true
  );
}

test("whatever an agent does, a loop ends or waits for a person within its bounds", async () => {
  const runs = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 8 }),
      runs,
      async (turns, passes) => {
        let validated = 0;
        const verifier = {
          ...verifierThat("fail"),
          verify: async () => sampleVerification(passes[validated++ % passes.length] === true),
        };
        const made: { agent?: Agent } = {};
        const b = bench([{ answer: "unused" }], verifier, {
          agent: async () => made.agent as Agent,
          random: () => 0,
        });
        made.agent = agentThat(turns, b.dir);
        const id = await b.start({ limits: LIMITS, max_iterations: 25 });
        let state = await b.service.get(id);
        for (let tries = 0; !isOver(state); tries += 1) {
          expect(tries, "it is resumed without an end").toBeLessThan(200);
          if (state.waiting) await b.service.send(id, { type: "resume", now: true });
          await b.service.run(id, { waitForLimits: false }).catch(() => undefined);
          state = await b.service.get(id);
        }
        expect(state.current_iteration).toBeLessThanOrEqual(25);
        expect(state.usage?.turns).toBeLessThanOrEqual(LIMITS.max_turns);
        expect(state.usage?.total_tokens).toBeLessThan(LIMITS.max_tokens + 40_000);
        expect(state.usage?.cost_usd ?? 0).toBeLessThan(LIMITS.max_cost_usd + 0.4);
        expect((await journal(b.store, id)).length).toBeLessThan(1000);
      },
    ),
    { numRuns: 25 },
  );
}, 60_000);
