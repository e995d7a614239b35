/** @module-tag slow */
import type { LoopStore } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { asOwner, BY, newLoop, newPlace, open } from "./places.ts";

const read = (store: LoopStore, after?: number) => Array.fromAsync(store.readLog("a", { after }));

test("a log that grows loses its oldest records, and every other one keeps its number", async () => {
  const store = open({ ...(await newPlace()), keepLogBytes: 1600 });
  await store.create(newLoop("a"), BY);
  for (let n = 1; n <= 100; n++) {
    await store.appendLog("a", [{ n, text: "x".repeat(80) }]);
    await read(store);
  }
  const [first, ...rest] = await read(store, 1);
  expect(first).toMatchObject({ gap: true });
  expect(first?.seq).toBeGreaterThan(75);
  expect(first?.seq).toBeLessThan(90);
  expect(rest).toHaveLength(100 - (first?.seq ?? 0));
  for (const { seq, record, gap } of rest)
    expect({ record, gap }).toMatchObject({ record: { n: seq } });
  expect(await read(store, first?.seq)).toEqual(rest);
});

test("several writers share the numbers, and each one's records stay in order", async () => {
  const place = await newPlace();
  const stores = [open(place), open(place)];
  await stores[0]?.create(newLoop("a"), BY);
  await Promise.all(
    stores.map(async (store, writer) => {
      for (let n = 0; n < 20; n++) {
        await store.appendLog("a", [{ writer, n }]);
        if (n % 5 === 0) await read(store);
      }
    }),
  );
  for (const store of stores) await store.close();
  const records = await read(open(place));
  expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  for (const writer of [0, 1]) {
    const mine = records.map(({ record }) => record).filter((one) => Object(one).writer === writer);
    expect(mine).toEqual(Array.from({ length: 20 }, (_, n) => ({ writer, n })));
  }
});

test("a follower of another client's log gets all of it without notifications", async () => {
  const place = await newPlace();
  const writer = open(place);
  await writer.create(newLoop("a"), BY);
  const reader = open({ ...place, listen: false, pollMs: 20 });
  const stop = new AbortController();
  const seen: number[] = [];
  await writer.appendLog("a", [1]);
  for await (const { seq } of reader.readLog("a", { follow: stop.signal })) {
    seen.push(seq);
    if (seq < 5) await writer.appendLog("a", [seq + 1]);
    else stop.abort();
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
});

async function warned() {
  const place = await newPlace();
  const warnings: string[] = [];
  const onWarning = ({ id, message }: { id: string; message: string }) =>
    warnings.push(`${id}: ${message}`);
  const store = open({ ...place, onWarning });
  await store.create(newLoop("a"), BY);
  await store.appendLog("a", ["kept"]);
  await read(store);
  return { place, store, warnings };
}

test("records of a loop that another client removed are no loss", async () => {
  const { place, store, warnings } = await warned();
  await store.appendLog("a", ["gone with its loop"]);
  await open(place).remove("a");
  await store.close();
  expect(warnings).toEqual([]);
});

test("records that cannot be written are lost, and told", async () => {
  const { place, store, warnings } = await warned();
  await (await asOwner()).query(`
    CREATE FUNCTION ${place.schema}.no_room() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON ${place.schema}.log_batches
      EXECUTE FUNCTION ${place.schema}.no_room();`);
  await store.appendLog("a", ["lost", "too"]);
  expect(await read(store)).toEqual([{ seq: 1, record: "kept" }]);
  expect(warnings).toEqual([
    expect.stringMatching(/^a: 2 records of agent\.log are lost\. .*Free disk space/),
  ]);
});
