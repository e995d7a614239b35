import { expect, test, vi } from "vitest";
import { loopClient } from "../../src/client/index.ts";
import { served, TOKEN } from "../node/served.ts";
import { bench } from "../support.ts";

/**
 * A client whose `fetch` gives up when no headers come within `ms`, as those of Node do after five minutes, and that has
 * a slow answer kept back for a second.
 */
async function impatient(ms: number, service = bench().service) {
  const { url } = await served({ projects: [{ name: "shop", service }] });
  const statuses: (number | string)[] = [];
  const fetch = async (request: Request) => {
    const early = AbortSignal.timeout(ms);
    try {
      const signal = AbortSignal.any([request.signal, early]);
      if (request.headers.has("prefer")) request.headers.set("prefer", "wait=1");
      const response = await globalThis.fetch(new Request(request, { signal }));
      statuses.push(response.status);
      return response;
    } catch (error) {
      statuses.push(early.aborted ? "gave up" : "left");
      throw error;
    }
  };
  return { client: loopClient({ url, token: TOKEN, fetch }), statuses };
}

test("what takes longer than a connection may be silent happens once, and its answer comes", async () => {
  const { service } = bench();
  const work = Promise.withResolvers<void>();
  let asked = 0;
  service.generateTasks = async (id) => {
    asked += 1;
    await work.promise;
    return (await service.tasks(id)).slice();
  };
  await service.create({ id: "a", description: "d" });
  const { client, statuses } = await impatient(1500, service);
  const generating = client.generateTasks("a", { count: 1 });
  await vi.waitFor(() => expect(statuses).toEqual([202, 202]), 10_000);
  work.resolve();
  expect(await generating).toEqual([]);
  expect(asked).toBe(1);
  expect(statuses.slice(0, 3)).toEqual([202, 202, 200]);
});

test("who leaves while it is under way ends it", async () => {
  const { service } = bench();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  service.verify = (_, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      begun.resolve();
      signal?.addEventListener("abort", () => {
        ended.resolve();
        reject(signal.reason);
      });
    });
  await service.create({ id: "a", description: "d" });
  const { client, statuses } = await impatient(30_000, service);
  const leave = new AbortController();
  const verifying = client.verify("a", { signal: leave.signal });
  await begun.promise;
  leave.abort("enough");
  await expect(verifying).rejects.toBe("enough");
  await ended.promise;
  expect(statuses).toEqual(["left"]);
});
