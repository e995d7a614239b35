import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ServiceTestOptions, WithService } from "./harness.ts";

const said = ["one", "two", "three"];

const THREE: NonNullable<ServiceTestOptions["turns"]> = [
  {
    action: "INIT",
    repeat: true,
    answer: { state_updates: { tasks: said.map((description) => ({ description })) } },
  },
];

export function describeTasks(withService: WithService): void {
  describe("generateTasks", () => {
    it("adds what the agent thinks of, once under one id, and no more than was asked for", () =>
      withService(
        async ({ service, make }) => {
          await make({ id: "a" });
          const made = await service.generateTasks("a", { opId: "g", count: 2 });
          expect(made.map(({ description }) => description)).toEqual(["one", "two"]);
          expect(await service.tasks("a")).toEqual(made);
          expect(await service.generateTasks("a", { opId: "g", count: 2 })).toEqual(made);
          expect(await service.generateTasks("a")).toHaveLength(3);
          expect(await service.tasks("a")).toHaveLength(5);
        },
        { turns: THREE },
      ));

    it("tells what the agent answered when that is no list of tasks", () =>
      withService(
        async ({ service, make }) => {
          await make({ id: "a" });
          await expect(service.generateTasks("a")).rejects.toMatchObject({
            code: "agent_bad_result",
            details: { text: "I would rather not." },
          });
          expect((await service.get("a")).revision).toBe(1);
        },
        { turns: [{ repeat: true, answer: "I would rather not." }] },
      ));

    it("ends when its signal aborts, with that reason, and adds nothing", () =>
      withService(
        async ({ service, make }) => {
          await make({ id: "a" });
          const stop = new AbortController();
          const asked = service.generateTasks("a", { signal: stop.signal });
          const reason = new Error("enough");
          stop.abort(reason);
          await expect(asked).rejects.toBe(reason);
          expect(await service.tasks("a")).toEqual([]);
        },
        { turns: [{ steps: [{ hang: true }] }] },
      ));
  });

  describe("importTasks", () => {
    it("adds the tasks of the solution that is bound to an issue, once under one id", () =>
      withService(async ({ service, cwd, make }) => {
        const folder = join(cwd, ".workflow", "issues");
        await mkdir(join(folder, "solutions"), { recursive: true });
        const issue = { id: "ISS-1", bound_solution_id: "S2" };
        const solutions = [
          { id: "S1", tasks: [{ title: "wrong" }] },
          { id: "S2", tasks: [{ title: "fix it" }, { title: "test it" }] },
        ];
        await writeFile(join(folder, "issues.jsonl"), JSON.stringify(issue));
        const lines = solutions.map((one) => JSON.stringify(one)).join("\n");
        await writeFile(join(folder, "solutions", "ISS-1.jsonl"), lines);
        await make({ id: "a" });
        const made = await service.importTasks("a", "ISS-1", { opId: "i" });
        expect(made.map(({ description }) => description)).toEqual(["fix it", "test it"]);
        expect(await service.importTasks("a", "ISS-1", { opId: "i" })).toEqual(made);
        expect(await service.tasks("a")).toEqual(made);
      }));

    it("tells of an issue that is not there", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        await expect(service.importTasks("a", "ISS-1")).rejects.toMatchObject({
          code: "issue_not_found",
          message: expect.stringContaining("ISS-1"),
        });
      }));
  });
}
