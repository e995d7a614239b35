/** @module-tag slow */
/** The main job with a real agent over ACP: red tests, a wrong repair, DEBUG, and a proof; also after kill -9 in mid-turn. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LoopState, RecordedEvent } from "@ccw-loop/core";
import { processesRunning, tempRepo } from "@ccw-loop/testkit";
import { describe, expect, test, vi } from "vitest";
import { BIN } from "../../packages/cli/test/support/bin.ts";
import { ownConfig } from "../../packages/cli/test/support/own-module.ts";
import { cartScript } from "../agents/src/cart-script.ts";
import { chosenAgents, homeOf } from "../agents/src/chosen.ts";

const PATIENCE = { timeout: 120_000, interval: 50 };
const CART = join(import.meta.dirname, "../../packages/cli/demo/cart");
const ACTIONS = ["INIT", "DEVELOP", "VALIDATE", "DEBUG", "DEVELOP", "VALIDATE", "COMPLETE"];

function filesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

describe.each(chosenAgents())("ccw-loop run --agent $name", { timeout: 400_000 }, (recipe) => {
  async function cart(nap?: string) {
    const [repo, own, real] = [
      await tempRepo(filesOf(CART)),
      await ownConfig(),
      await homeOf(recipe),
    ];
    real.model.play(cartScript(repo.path, nap));
    const read = (name: string) => readFileSync(join(repo.path, ".workflow/.loop", name), "utf8");
    return {
      dir: repo.path,
      start(...args: string[]) {
        const env = { ...process.env, ...real.env, ...own.env, NO_COLOR: "1" };
        const stdio = ["ignore", "ignore", "pipe"] as const;
        const child = spawn(process.execPath, [BIN, ...args], {
          cwd: repo.path,
          env,
          stdio: [...stdio],
        });
        const said = child.stderr ? text(child.stderr) : Promise.resolve("");
        return { child, said, ended: once(child, "exit").then(([code]) => code as number | null) };
      },
      state: () => LoopState.parse(JSON.parse(read("cart.json"))),
      actions: () =>
        read("cart.journal.jsonl")
          .trim()
          .split("\n")
          .map((line) => RecordedEvent.parse(JSON.parse(line)).event)
          .flatMap((event) => (event.type === "action.completed" ? event.output.action : [])),
      async [Symbol.asyncDispose]() {
        await repo.remove();
        await own[Symbol.asyncDispose]();
      },
    };
  }

  test("turns red tests green over a wrong repair and a cause, and proves it", async () => {
    await using here = await cart();
    const flags = ["--loop-id", "cart", "--auto", "--agent", recipe.name];
    const run = here.start("run", "Repair the cart", "--create", ...flags);
    expect(await run.ended, await run.said).toBe(0);
    expect(here.state()).toMatchObject({
      status: "completed",
      outcome: { code: "proven" },
      agent: { driver: recipe.name },
    });
    expect(here.state().receipts?.map(({ passed }) => passed)).toEqual([false, true]);
    expect(here.actions()).toEqual(ACTIONS);
  });

  test("comes to the same end after kill -9 in mid-turn", async () => {
    const nap = `sleep ${(600 + Math.random()).toFixed(9)}`;
    await using here = await cart(nap);
    const flags = ["--loop-id", "cart", "--auto", "--agent", recipe.name];
    const first = here.start("run", "Repair the cart", "--create", ...flags);
    await vi.waitFor(() => expect(existsSync(join(here.dir, "started"))).toBe(true), PATIENCE);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = here.start("run", "--loop-id", "cart", "--auto");
    expect(await second.ended, await second.said).toBe(0);
    expect(here.state()).toMatchObject({ outcome: { code: "proven" } });
    expect(here.actions()).toEqual(ACTIONS);
    await vi.waitFor(() => expect(processesRunning(nap)).toEqual([]), PATIENCE);
  });
});
