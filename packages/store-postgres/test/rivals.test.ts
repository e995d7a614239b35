/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { BY, codeOf, newLoop, newPlace, noted, open } from "./places.ts";

test("of two clients that name one revision exactly one wins, in every round", async () => {
  const place = await newPlace();
  const stores = [open(place), open(place)];
  await stores[0]?.create(newLoop("a"), BY);
  for (let revision = 1; revision <= 50; revision++) {
    const event = noted(`after ${revision}`);
    const codes = await Promise.all(
      stores.map((store) => codeOf(store.append("a", revision, [event], BY))),
    );
    expect(codes.toSorted()).toEqual(["none", "revision_conflict"]);
  }
  const events = await Array.fromAsync(open(place).events("a"));
  expect(events.map(({ revision }) => revision)).toEqual(
    Array.from({ length: 51 }, (_, i) => i + 1),
  );
});

test("of claimers in several stores exactly one wins each round, with a higher epoch", async () => {
  const place = await newPlace();
  const stores = [open(place), open(place), open(place)];
  await stores[0]?.create(newLoop("a"), BY);
  let last = 0;
  for (let round = 0; round < 20; round++) {
    const claims = stores.map((store, n) => store.claim("a", `owner ${n}`, 60_000));
    const won = (await Promise.allSettled(claims)).filter((one) => one.status === "fulfilled");
    expect(won).toHaveLength(1);
    const [lease] = won.map(({ value }) => value);
    expect(lease?.epoch).toBeGreaterThan(last);
    last = lease?.epoch ?? 0;
    if (lease) await stores[round % 3]?.release(lease);
  }
});

test("an owner that was suspended over the end of its lease adds nothing when it wakes", async () => {
  const place = await newPlace();
  const store = open(place);
  await store.create(newLoop("a"), BY);
  const script = join(import.meta.dirname, "children/sleeper.ts");
  const child = spawn(process.execPath, [script, place.url, place.schema], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("claimed");
  child.kill("SIGSTOP");
  const { epoch } = await vi.waitFor(() => store.claim("a", "other", 60_000), 10_000);
  const exit = once(child, "exit");
  child.stdin.write("now\n");
  child.kill("SIGCONT");
  expect((await lines.next()).value).toBe("fenced");
  await exit;
  await store.append("a", 1, [noted("in time")], { ...BY, epoch });
  expect((await store.read("a")).state.notes).toBe("in time");
});

test("an epoch of a loop that was removed is none of another one of its name", async () => {
  const place = await newPlace();
  const [old, other] = [open(place), open(place)];
  await old.create(newLoop("a"), BY);
  const { epoch } = await old.claim("a", "old", 60_000);
  await other.remove("a");
  await other.create(newLoop("a", { title: "another" }), BY);
  await other.claim("a", "other", 60_000);
  expect(await codeOf(old.append("a", 1, [noted("x")], { ...BY, epoch }))).toBe("fenced");
  const { state } = await old.append("a", 1, [noted("x")], BY);
  expect(state).toMatchObject({ title: "another", notes: "x" });
});
