import { expect, it } from "vitest";
import { processesRunning } from "../../src/index.ts";
import { conversation } from "./conversations.ts";

const ABORTS = 50;

/** Stop means stop: the product promises 100 ms. A noisy machine gets more before this fails; the figure is printed. */
it("ends a turn with two running commands at once", async () => {
  const sleep = `sleep ${920_000_000 + process.pid}`;
  const steps = [{ background: sleep }, { run: `echo up; ${sleep}` }];
  const { session } = await conversation([{ steps, answer: "never" }]);
  const taken: number[] = [];
  for (let i = 0; i < ABORTS; i += 1) {
    const control = new AbortController();
    let aborted = 0;
    const run = session.run("Go on.", {
      signal: control.signal,
      onEvent: ({ type }) => {
        if (type !== "command.output") return;
        aborted = performance.now();
        control.abort("stop");
      },
    });
    await expect(run).rejects.toBe("stop");
    taken.push(performance.now() - aborted);
    expect(processesRunning(sleep)).toEqual([]);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number) =>
    taken[Math.min(ABORTS - 1, Math.floor(ABORTS * share))] ?? Number.NaN;
  console.log(`abort to end: median ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms`);
  expect(at(0.5)).toBeLessThan(250);
  expect(at(0.99)).toBeLessThan(2000);
});
