/** @module-tag slow */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RecordedEvent } from "@ccw-loop/core";
import { cartModel, processesRunning, quotaUsedUp } from "@ccw-loop/testkit";
import { describe, expect, test, vi } from "vitest";
import { codexProject } from "./codex-project.ts";

const PATIENCE = { timeout: 60_000, interval: 20 };
const WITHOUT = process.env.CCW_LOOP_NO_CODEX === "1";
const ACTIONS = [
  "INIT",
  "DEVELOP task-001",
  "VALIDATE fail",
  "DEBUG",
  "DEVELOP fix-001",
  "VALIDATE pass",
  "COMPLETE",
];

const RUN = ["run", "Repair the cart", "--loop-id", "cart", "--create", "--auto"];

function executed(journal: RecordedEvent[]): string[] {
  return journal.flatMap(({ event }) => {
    if (event.type !== "action.completed") return [];
    const { output } = event;
    if (output.action === "DEVELOP") return [`DEVELOP ${output.task_id}`];
    if (output.action === "VALIDATE")
      return [`VALIDATE ${output.receipt.passed ? "pass" : "fail"}`];
    return [output.action];
  });
}

describe.skipIf(WITHOUT)(
  "ccw-loop run --agent codex, with the real Codex",
  { timeout: 180_000 },
  () => {
    test("repairs a repository with failing tests, proven by its own test run", async () => {
      const project = await codexProject();
      const run = project.cli(...RUN, "--json");
      expect(await run.ended, run.stderr()).toBe(0);
      const state = project.state("cart");
      expect(state).toMatchObject({
        status: "completed",
        outcome: { code: "proven" },
        agent: { driver: "codex", session_id: expect.any(String) },
        skill_state: { validate: { passed: true, pass_rate: 100 } },
      });
      expect(state.receipts?.map((r) => [r.passed, r.exit_code])).toEqual([
        [false, 1],
        [true, 0],
      ]);
      expect(state.receipts?.[1]?.counts).toMatchObject({ total: 5, passed: 5 });
      expect(executed(project.journal("cart"))).toEqual(ACTIONS);
      expect(state.skill_state?.develop.tasks[0]?.files_changed).toEqual(["src/cart.js"]);
      expect(project.progress("cart")).toEqual(
        expect.arrayContaining([
          "agent.log",
          "changes.log",
          "debug.log",
          "debug.md",
          "develop.md",
          "hypotheses.json",
          "summary.md",
          "test-results.json",
          "validate.md",
        ]),
      );
      expect(JSON.parse(run.stdout())).toMatchObject({
        schema_version: 1,
        command: "run",
        data: { status: "completed" },
      });
    });

    test("kill -9 in mid-turn, then run --loop-id: the same end, no action recorded twice", async () => {
      const project = await codexProject({ slow: true });
      const first = project.cli(...RUN);
      await vi.waitFor(() => {
        expect(first.child.exitCode, first.stderr()).toBeNull();
        expect(existsSync(join(project.dir, "started"))).toBe(true);
      }, PATIENCE);
      first.child.kill("SIGKILL");
      await first.ended;
      expect(project.state("cart").status).toBe("running");

      const second = project.cli("run", "--loop-id", "cart", "--auto");
      expect(await second.ended, second.stderr()).toBe(0);
      expect(executed(project.journal("cart"))).toEqual(ACTIONS);
      const before = project.journal("cart").filter((r) => r.event.type === "agent.attached");
      expect(before, "one conversation for the whole loop").toHaveLength(1);
      await vi.waitFor(() => expect(processesRunning(project.nap)).toEqual([]), PATIENCE);
    });

    test("pause from another terminal: turn ended, no child left, resume finishes the loop", async () => {
      const project = await codexProject({ slow: true });
      const run = project.cli(...RUN);
      await vi.waitFor(() => {
        expect(run.child.exitCode, run.stderr()).toBeNull();
        expect(existsSync(join(project.dir, "started"))).toBe(true);
      }, PATIENCE);
      expect(await project.cli("pause", "cart").ended).toBe(0);
      expect(await run.ended).toBe(4);
      expect(processesRunning(project.nap)).toEqual([]);
      expect(project.state("cart")).toMatchObject({
        status: "paused",
        action: { name: "DEVELOP" },
      });

      const resumed = project.cli("resume", "cart");
      expect(await resumed.ended, resumed.stderr()).toBe(0);
      expect(executed(project.journal("cart"))).toEqual(ACTIONS);
    });

    test("a usage limit: the loop waits for its end, and goes on when it is tried at once", async () => {
      const project = await codexProject();
      const until = "2033-05-18T03:33:20.000Z";
      project.model.play(() => quotaUsedUp(new Date(until)));
      const waiting = project.cli(...RUN, "--no-wait");
      expect(await waiting.ended, waiting.stderr()).toBe(75);
      expect(project.state("cart")).toMatchObject({
        status: "running",
        waiting: { kind: "usage_limit", until },
      });
      expect(waiting.stdout()).toMatch(/^Waits for usage limit until 2033-/);

      project.model.play(cartModel());
      const now = project.cli("resume", "cart", "--now");
      expect(await now.ended, now.stderr()).toBe(0);
      expect(project.state("cart")).toMatchObject({ outcome: { code: "proven" } });
      expect(executed(project.journal("cart"))).toEqual(ACTIONS);
    });
  },
);
