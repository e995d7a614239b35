import { expect, test } from "vitest";
import { Repetitions } from "../src/app/repetitions.ts";

const named = (opId: string) => ({ opId, body: "same" });

/** Answers with how often it was asked; `size` bytes more or less. */
function counter(size = 1) {
  let asked = 0;
  return async () => {
    asked += 1;
    return new Response(`${asked}`.padStart(size));
  };
}

async function ask(kept: Repetitions, opId: string, act: () => Promise<Response>) {
  return Number(await (await kept.once(named(opId), act)).text());
}

test("the oldest requests are forgotten when there are too many", async () => {
  const kept = new Repetitions({ requests: 2 });
  const acts = { a: counter(), b: counter(), c: counter() };
  for (const [opId, act] of Object.entries(acts)) await ask(kept, opId, act);
  expect(await ask(kept, "c", acts.c)).toBe(1);
  expect(await ask(kept, "b", acts.b)).toBe(1);
  expect(await ask(kept, "a", acts.a)).toBe(2);
});

test("the oldest answers are forgotten when all together are too large", async () => {
  const kept = new Repetitions({ bytes: 100 });
  const acts = { a: counter(60), b: counter(60) };
  for (const [opId, act] of Object.entries(acts)) await ask(kept, opId, act);
  expect(await ask(kept, "b", acts.b)).toBe(1);
  expect(await ask(kept, "a", acts.a)).toBe(2);
});

test("a failure reaches everybody who waits for it, and is not kept", async () => {
  const kept = new Repetitions();
  const fail = () => Promise.reject(new Error("no"));
  const both = await Promise.allSettled([ask(kept, "a", fail), ask(kept, "a", fail)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask(kept, "a", counter())).toBe(1);
});
