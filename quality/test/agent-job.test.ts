/** @module-tag slow */
/** The main job with real agents over ACP, alone and beside Codex: also stopped, killed, and at a usage limit. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cartModel, type ModelRequest, processesRunning, quotaUsedUp } from "@ccw-loop/testkit";
import { afterAll, describe, expect, test, vi } from "vitest";
import { cartJob } from "../agents/src/cart-job.ts";
import { chosenAgents, endHomes } from "../agents/src/chosen.ts";
import { agentIn } from "../agents/src/real-agent.ts";

const PATIENCE = { timeout: 120_000, interval: 50 };
const ACTIONS = ["INIT", "DEVELOP", "VALIDATE", "DEBUG", "DEVELOP", "VALIDATE", "COMPLETE"];
const CODEX = process.env.CCW_LOOP_NO_CODEX !== "1";

/** The only agent that no task can name. */
const NO_TOOL = "codex-acp";

const newNap = () => `sleep ${(600 + Math.random()).toFixed(9)}`;

afterAll(endHomes);

describe.each(chosenAgents())("ccw-loop run --agent $name", { timeout: 400_000 }, (recipe) => {
  const { name } = recipe;
  const flags = ["--create", "--loop-id", "cart", "--auto"];

  test("turns red tests green over a wrong repair and a cause, and proves it", async () => {
    await using here = await cartJob(recipe);
    const run = here.start("run", "Repair the cart", ...flags, "--agent", name);
    expect(await run.ended, await run.said).toBe(0);
    expect(here.state()).toMatchObject({
      status: "completed",
      outcome: { code: "proven" },
      agent: { driver: name },
    });
    expect(here.state().receipts?.map(({ passed }) => passed)).toEqual([false, true]);
    expect(here.actions()).toEqual(ACTIONS);
  });

  test("comes to the same end after kill -9 in mid-turn", async () => {
    const nap = newNap();
    await using here = await cartJob(recipe, { nap });
    const first = here.start("run", "Repair the cart", ...flags, "--agent", name);
    await vi.waitFor(() => expect(existsSync(join(here.dir, "started"))).toBe(true), PATIENCE);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = here.start("run", "--loop-id", "cart", "--auto");
    expect(await second.ended, await second.said).toBe(0);
    expect(here.state()).toMatchObject({ outcome: { code: "proven" } });
    expect(here.actions()).toEqual(ACTIONS);
    await vi.waitFor(() => expect(processesRunning(nap)).toEqual([]), PATIENCE);
  });

  test("paused in mid-command leaves no process of the command nor of the agent, and finishes the work later", async () => {
    const nap = newNap();
    const stubborn = `setsid sh -c "trap '' TERM HUP; ${nap}; ${nap}" & ${nap}`;
    await using here = await cartJob(recipe, { nap: stubborn });
    const run = here.start("run", "Repair the cart", ...flags, "--agent", name);
    await vi.waitFor(() => expect(processesRunning(nap).length).toBeGreaterThan(2), PATIENCE);
    expect(agentIn(here.dir, name)).toBeGreaterThan(0);
    const pause = here.start("pause", "cart");
    expect(await pause.ended, await pause.said).toBe(0);
    expect(await run.ended, await run.said).toBe(4);
    expect(processesRunning(nap)).toEqual([]);
    expect(() => agentIn(here.dir, name)).toThrow("works in");
    expect(here.state()).toMatchObject({ status: "paused", action: { name: "DEVELOP" } });
    const resumed = here.start("resume", "cart");
    expect(await resumed.ended, await resumed.said).toBe(0);
    expect(here.state()).toMatchObject({ outcome: { code: "proven" } });
    expect(here.actions()).toEqual(ACTIONS);
  });

  describe.runIf(CODEX && name !== NO_TOOL)("beside Codex", () => {
    test("does the task that names it, where the others are Codex's and a command", async () => {
      await using here = await cartJob(recipe);
      const done = async (...args: string[]) => {
        const { ended, said } = here.start(...args);
        expect(await ended, await said).toBe(0);
      };
      const add = (text: string, tool: string, id: string) =>
        done("tasks", "add", "cart", text, "--tool", tool, "--task-id", id);
      await done("start", "The cart", "--loop-id", "cart", "--agent", "codex");
      await add("Quantities and coupons", "codex", "task-001");
      await add("Whole cents", name, "fix-001");
      await add("node --check src/cart.js", "bash", "check");
      await done("run", "--loop-id", "cart");
      const { outcome, agent, agents, skill_state, usage } = here.state();
      expect(outcome).toMatchObject({ code: "proven" });
      expect(agent).toMatchObject({ driver: "codex", session_id: expect.any(String) });
      expect(agents?.[name]).toMatchObject({ driver: name, session_id: expect.any(String) });
      expect(skill_state?.develop.tasks).toMatchObject([
        { tool: "codex", status: "completed", files_changed: ["src/cart.js"] },
        { tool: name, status: "completed", files_changed: ["src/cart.js"] },
        { tool: "bash", status: "completed", command_run: { exit_code: 0 } },
      ]);
      expect(usage?.turns).toBe(2);
    });

    test("goes on for it at its usage limit, with --fallback", async () => {
      const until = "2033-05-18T03:33:20.000Z";
      const plans = cartModel();
      const codex = (request: ModelRequest) =>
        request.userTexts.at(-1)?.includes("# ACTION: INIT")
          ? plans(request)
          : quotaUsedUp(new Date(until));
      await using here = await cartJob(recipe, { codex });
      const run = here.start("run", "Repair the cart", ...flags, "--fallback", name);
      expect(await run.ended, await run.said).toBe(0);
      expect(here.state()).toMatchObject({
        outcome: { code: "proven" },
        agents: {
          codex: { limited_until: until },
          [name]: { driver: name },
        },
      });
      const limited = here.events().filter(({ type }) => type === "agent.limited");
      expect(limited).toMatchObject([{ agent: "codex", instead: name }]);
      expect(here.actions()).toEqual(ACTIONS);
    });
  });
});
