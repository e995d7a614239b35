import type { NewLoop } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import type { WithService } from "./harness.ts";

export function describeCreate(withService: WithService): void {
  describe("create", () => {
    it("answers with the loop as it is kept, under a minted id", () =>
      withService(async ({ service }) => {
        const made = await service.create({ description: "Fix the cart\nand its tests" });
        expect(made).toMatchObject({ status: "created", title: "Fix the cart", revision: 1 });
        expect(made.loop_id).toMatch(/^loop-v2-\d{8}T\d{6}-[0-9a-f]{8}$/);
        expect(await service.get(made.loop_id)).toEqual(made);
      }));

    it("keeps everything that was said, fields of other programs too", () =>
      withService(async ({ service }) => {
        const spec: NewLoop = {
          id: "cart",
          title: "The cart",
          description: 'Fix it: "déjà vu" \u{1f6d2} </script>\n',
          max_iterations: 3,
          limits: { max_turns: 7 },
          settings: { mode: "interactive", verify: "npm test -- --a", of_mine: [1, null] },
          tags: ["a b", "ü"],
          priority: "high",
          notes: "",
        };
        const { id, description, ...rest } = structuredClone(spec);
        const made = await service.create(structuredClone(spec));
        expect(made).toMatchObject({ ...rest, loop_id: id, description: description.trim() });
        expect(await service.get("cart")).toEqual(made);
      }));

    it("refuses what is no loop with a sentence that names the field, and makes nothing", () =>
      withService(async ({ service }) => {
        const refused = async (spec: Record<string, unknown>, code: string, words: RegExp) => {
          const attempt = service.create({ description: "x", ...spec } as NewLoop);
          await expect(attempt).rejects.toMatchObject({
            code,
            message: expect.stringMatching(words),
          });
        };
        await refused({ description: "  " }, "invalid_input", /title|description/);
        await refused({ max_iterations: 0 }, "invalid_input", /max_iterations/);
        await refused({ max_iterations: 1e308 }, "invalid_input", /max_iterations .* 1000000/);
        await refused({ limits: { max_turns: "many" } }, "invalid_input", /limits\.max_turns/);
        await refused(
          { limits: { max_tokens: 1e308 } },
          "invalid_input",
          /max_tokens .* 1000000000000/,
        );
        await refused({ priority: "urgent" }, "invalid_input", /priority/);
        await refused({ id: "../x" }, "invalid_id", /is not a loop id/);
        await refused({ id: "nul" }, "invalid_id", /Windows device/);
        await refused({ id: "--force" }, "invalid_id", /is not an id for a new loop/);
        expect((await service.list()).total).toBe(0);
      }));

    it("refuses an id that is taken", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        await expect(make({ id: "a" })).rejects.toMatchObject({ code: "loop_exists" });
        expect((await service.get("a")).revision).toBe(1);
      }));

    it("gives a loop a worktree and a branch of its own", () =>
      withService(
        async ({ service, cwd, make }) => {
          const { workspace } = await make({ id: "apart", worktree: true });
          expect(workspace).toMatchObject({ branch: "ccw-loop/apart" });
          expect(workspace?.path).not.toBe(cwd);
          await service.delete("apart");
          expect(await service.clean()).toEqual([]);
        },
        { git: true },
      ));
  });
}
