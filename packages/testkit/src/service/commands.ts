import { type LoopCommand, type LoopState, NewTask } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import {
  makeIssue,
  type ServiceTestOptions,
  type ServiceWith,
  type WithService,
} from "./harness.ts";

const task = (id: string) => NewTask.parse({ id, description: `do ${id}` });

/** Commands in an order in which each is accepted, and what each makes of the loop. */
const ACCEPTED: readonly [LoopCommand, (state: LoopState) => unknown, unknown][] = [
  [{ type: "edit", changes: { title: "New", tags: [] } }, (s) => [s.title, s.tags], ["New", []]],
  [{ type: "add_task", task: task("t1") }, (s) => s.tasks?.length, 1],
  [{ type: "add_task", task: task("t2") }, (s) => s.tasks?.length, 2],
  [
    { type: "edit_task", task_id: "t1", changes: { description: "other" } },
    (s) => s.tasks?.[0]?.description,
    "other",
  ],
  [{ type: "reorder_tasks", task_ids: ["t2"] }, (s) => s.tasks?.map(({ id }) => id), ["t2", "t1"]],
  [{ type: "remove_task", task_id: "t1" }, (s) => s.tasks?.map(({ id }) => id), ["t2"]],
  [{ type: "start" }, (s) => s.status, "running"],
  [{ type: "pause", reason: 'for "lunch"\n' }, (s) => s.status, "paused"],
  [
    { type: "resume", changes: { max_iterations: 4 } },
    (s) => [s.status, s.max_iterations],
    ["running", 4],
  ],
  [{ type: "exit" }, (s) => s.status, "user_exit"],
  [{ type: "resume" }, (s) => s.status, "running"],
  [
    { type: "stop", reason: "enough" },
    (s) => [s.status, s.outcome?.code],
    ["failed", "stopped_by_user"],
  ],
  [{ type: "resume", reopen: true }, (s) => s.status, "running"],
];

/** What a new loop refuses. */
const REFUSED: readonly [LoopCommand, string][] = [
  [{ type: "pause" }, "invalid_transition"],
  [{ type: "resume" }, "invalid_transition"],
  [{ type: "exit" }, "invalid_transition"],
  [{ type: "choose", action: "DEVELOP" }, "invalid_transition"],
  [{ type: "answer", text: "yes" }, "invalid_transition"],
  [{ type: "edit_task", task_id: "gone", changes: {} }, "task_not_found"],
  [{ type: "remove_task", task_id: "gone" }, "task_not_found"],
  [{ type: "reorder_tasks", task_ids: ["gone"] }, "task_not_found"],
  [{ type: "edit", changes: { max_iterations: 1e308 } }, "invalid_input"],
  [{ type: "edit", changes: { limits: { max_turns: 1e15 } } }, "invalid_input"],
];

export function describeCommands(withService: WithService): void {
  describe("send", () => {
    it("answers each command with the state behind it, which is kept", () =>
      withService(async ({ service }) => {
        for (const [command, look, expected] of ACCEPTED) {
          const state = await service.send("a", command);
          expect(look(state), command.type).toEqual(expected);
          expect(await service.get("a")).toEqual(state);
        }
      }));

    it.each(REFUSED)("refuses %j to a new loop with %s, and changes nothing", (command, code) =>
      withService(async ({ service }) => {
        const made = await service.get("a");
        await expect(service.send("a", command)).rejects.toMatchObject({ code });
        expect(await service.get("a")).toEqual(made);
      }),
    );

    it("tells with a refusal what programs need to know", () =>
      withService(async ({ service }) => {
        await expect(service.send("a", { type: "pause" })).rejects.toMatchObject({
          name: "LoopError",
          message: "Cannot pause loop with status: created",
          details: { status: "created", accepted_from: ["running"] },
        });
      }));

    it("keeps who did what and why in the journal", () =>
      withService(async ({ service }) => {
        await service.send("a", { type: "start" });
        await service.send("a", { type: "pause", reason: 'for "lunch"\n' });
        const told = [];
        for await (const { revision, actor, event } of service.events("a", 1)) {
          told.push([revision, actor, event.type, event.type === "loop.paused" && event.reason]);
        }
        expect(told).toEqual([
          [2, "operator", "loop.started", false],
          [3, "operator", "loop.paused", 'for "lunch"\n'],
        ]);
      }));

    it("keeps every one of many commands at once", () =>
      withService(async ({ service }) => {
        const all = Array.from({ length: 20 }, (_, n) => `t${n}`);
        await Promise.all(all.map((id) => service.send("a", { type: "add_task", task: task(id) })));
        expect((await service.tasks("a")).map(({ id }) => id).sort()).toEqual(all.sort());
      }));
  });

  describe("delete", () => {
    it("removes a loop for good, so that its id is free again", () =>
      withService(async ({ service, make }) => {
        await service.delete("a");
        await expect(service.get("a")).rejects.toMatchObject({ code: "loop_not_found" });
        await expect(service.delete("a")).rejects.toMatchObject({ code: "loop_not_found" });
        expect((await make({ id: "a" })).revision).toBe(1);
      }));

    it("is refused while the loop runs, and while somebody drives it", () =>
      withService(async ({ service, store }) => {
        await service.send("a", { type: "start" });
        await expect(service.delete("a")).rejects.toMatchObject({
          code: "invalid_transition",
          details: { status: "running" },
        });
        await service.send("a", { type: "pause" });
        const lease = await store.claim("a", "somebody", 60_000);
        await expect(service.delete("a")).rejects.toMatchObject({ code: "loop_busy" });
        await store.release(lease);
        await service.delete("a");
      }));
  });
}

const said = ["one", "two", "three"];

const THREE: NonNullable<ServiceTestOptions["turns"]> = [
  {
    action: "INIT",
    repeat: true,
    answer: { state_updates: { tasks: said.map((description) => ({ description })) } },
  },
];

export function describeTasks(serviceWith: ServiceWith): void {
  const withService = serviceWith({ loop: true });

  describe("generateTasks", () => {
    it("adds what the agent thinks of, once under one id, and no more than was asked for", () =>
      serviceWith({ loop: true, turns: THREE })(async ({ service }) => {
        const made = await service.generateTasks("a", { opId: "g", count: 2 });
        expect(made.map(({ description }) => description)).toEqual(["one", "two"]);
        expect(await service.tasks("a")).toEqual(made);
        expect(await service.generateTasks("a", { opId: "g", count: 2 })).toEqual(made);
        expect(await service.generateTasks("a")).toHaveLength(3);
        expect(await service.tasks("a")).toHaveLength(5);
      }));

    it("tells what the agent answered when that is no list of tasks", () =>
      serviceWith({ loop: true, turns: [{ repeat: true, answer: "I would rather not." }] })(
        async ({ service }) => {
          await expect(service.generateTasks("a")).rejects.toMatchObject({
            code: "agent_bad_result",
            details: { text: "I would rather not." },
          });
          expect((await service.get("a")).revision).toBe(1);
        },
      ));

    it("ends when its signal aborts, with that reason, and adds nothing", () =>
      serviceWith({ loop: true, turns: [{ steps: [{ hang: true }] }] })(async ({ service }) => {
        const stop = new AbortController();
        const asked = service.generateTasks("a", { signal: stop.signal });
        const reason = new Error("enough");
        stop.abort(reason);
        await expect(asked).rejects.toBe(reason);
        expect(await service.tasks("a")).toEqual([]);
      }));
  });

  describe("importTasks", () => {
    it("adds the tasks of the solution that is bound to an issue, once under one id", () =>
      withService(async ({ service, cwd }) => {
        await makeIssue(cwd, { id: "ISS-1", bound_solution_id: "S2" }, [
          { id: "S1", tasks: [{ title: "wrong" }] },
          { id: "S2", tasks: [{ title: "fix it" }, { title: "test it" }] },
        ]);
        const made = await service.importTasks("a", "ISS-1", { opId: "i" });
        expect(made.map(({ description }) => description)).toEqual(["fix it", "test it"]);
        expect(await service.importTasks("a", "ISS-1", { opId: "i" })).toEqual(made);
        expect(await service.tasks("a")).toEqual(made);
      }));

    it("tells of an issue that is not there", () =>
      withService(async ({ service }) => {
        await expect(service.importTasks("a", "ISS-1")).rejects.toMatchObject({
          code: "issue_not_found",
          message: expect.stringContaining("ISS-1"),
        });
      }));
  });
}
