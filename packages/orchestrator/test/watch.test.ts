import type { LiveEvent } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { bench, plan, verifierThat } from "./support.ts";

test("a loop that is made anew under the same id is not taken for the one that was watched", async () => {
  const b = bench([plan("one")], verifierThat("pass"));
  const id = await b.start();
  const { watch } = b.store;
  const { promise: anew, resolve } = Promise.withResolvers<void>();
  // Hints come late, as they may: when they do, the other loop is there already.
  b.store.watch = async function* (loop, signal) {
    const hints = watch(loop, signal);
    await anew;
    yield id;
    yield* hints;
  };
  const told: LiveEvent[] = [];
  const { signal } = new AbortController();
  const watching = (async () => {
    for await (const event of b.service.watch(id, { after: 0, signal })) {
      told.push(event);
      await b.service.delete(id);
      await b.service.create({ id, description: "another one" });
      resolve();
    }
  })();
  await expect(watching).rejects.toMatchObject({ code: "loop_not_found" });
  expect(told).toMatchObject([{ recorded: { revision: 1, event: { type: "loop.created" } } }]);
});
