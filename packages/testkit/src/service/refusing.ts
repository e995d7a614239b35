import type { LoopService } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import type { WithService } from "./harness.ts";

const never = new AbortController().signal;

async function first(items: AsyncIterable<unknown>): Promise<unknown> {
  for await (const item of items) return item;
  return undefined;
}

const UNSAFE = ["", "..", "../x", "a/b", "a%2fb", "con", "a b", "é", "x".repeat(129)];

/** Everything that is asked of one loop. */
const ASKED: Record<string, (service: LoopService, id: string) => Promise<unknown>> = {
  get: (service, id) => service.get(id),
  tasks: (service, id) => service.tasks(id),
  why: (service, id) => service.why(id),
  send: (service, id) => service.send(id, { type: "start" }),
  delete: (service, id) => service.delete(id),
  events: (service, id) => first(service.events(id)),
  activity: (service, id) => first(service.activity(id)),
  watch: (service, id) => first(service.watch(id, { after: 0, signal: never })),
  run: (service, id) => service.run(id),
  recover: (service, id) => service.recover(id, { dryRun: true }),
  timeline: (service, id) => service.timeline(id),
  diff: (service, id) => service.diff(id),
  rewind: (service, id) => service.rewind(id, 0),
  fork: (service, id) => service.fork(id, 0),
  verify: (service, id) => service.verify(id),
};

export function describeRefusedIds(withService: WithService): void {
  describe.each(Object.entries(ASKED))("%s", (_name, ask) => {
    it("tells of a loop that is not there", () =>
      withService(
        async ({ service }) => {
          await expect(ask(service, "gone")).rejects.toMatchObject({
            name: "LoopError",
            code: "loop_not_found",
            message: expect.stringContaining("gone"),
          });
        },
        { drives: true },
      ));

    it("refuses an unsafe id before it touches anything", () =>
      withService(
        async ({ service }) => {
          for (const id of UNSAFE) {
            await expect(ask(service, id), id).rejects.toMatchObject({ code: "invalid_id" });
          }
        },
        { drives: true },
      ));
  });
}
