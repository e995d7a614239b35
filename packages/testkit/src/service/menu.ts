import type { Menu, MenuChoice } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import type { WithService } from "./harness.ts";

const interactive = {
  settings: { mode: "interactive", flaky_reruns: 0, expect: "unchanged" },
} as const;

/** Chooses one after the other, and keeps what it was shown. */
function person(...choices: MenuChoice[]) {
  const shown: Menu[] = [];
  const choose = async (menu: Menu): Promise<MenuChoice> => {
    shown.push(menu);
    return choices.shift() ?? "exit";
  };
  return { shown, choose };
}

export function describeMenu(withService: WithService): void {
  describe("an interactive loop", () => {
    it("does what a person chooses from the menu", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a", ...interactive });
        const { shown, choose } = person("develop", "validate", "complete");
        expect(await service.run("a", { choose })).toMatchObject({ status: "completed" });
        expect(shown).toHaveLength(3);
        expect(shown[0]?.options.map(({ key, available }) => [key, available])).toEqual([
          ["develop", true],
          ["debug", true],
          ["validate", true],
          ["status", true],
          ["complete", false],
          ["exit", true],
        ]);
        expect(shown[1]?.summary).toContain("Develop: 1/1 (100 %)");
      }));

    it("asks again after a look at the progress, and after a choice that is refused, with the reason", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a", ...interactive });
        const { shown, choose } = person("status", "complete", "exit");
        expect((await service.run("a", { choose })).status).toBe("user_exit");
        expect(shown.map(({ notice }) => notice !== undefined)).toEqual([false, false, true]);
        expect(shown[2]?.notice).toMatch(/COMPLETE needs a passing VALIDATE/);
      }));

    it("waits for input without somebody to choose, and every door can answer", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a", ...interactive });
        const waits = await service.run("a");
        expect(waits).toMatchObject({
          status: "running",
          waiting: { kind: "input", menu: true, options: ["develop", "debug", "validate"] },
        });
        const answered = await service.send("a", { type: "answer", text: "develop" });
        expect(answered.waiting).toBeUndefined();
        const { choose } = person("validate", "complete");
        expect((await service.run("a", { choose })).status).toBe("completed");
      }));

    it("leaves an open question when its signal aborts", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a", ...interactive });
        const abort = new AbortController();
        const choose = () => {
          abort.abort("gone home");
          return new Promise<MenuChoice>(() => undefined);
        };
        const state = await service.run("a", { choose, signal: abort.signal });
        expect(state.status).toBe("paused");
      }));
  });
}
