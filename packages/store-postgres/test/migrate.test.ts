import { expect, test } from "vitest";
import { migrate, status } from "../src/index.ts";
import { MIGRATIONS, VERSION } from "../src/migrations.ts";
import { asOwner, BY, codeOf, newLoop, newName, newPlace, noted, open, owner } from "./places.ts";

test("of several that migrate at once one makes the tables", async () => {
  const place = { url: owner, schema: newName() };
  expect(await status(place)).toMatchObject({ version: 0, needs: VERSION, readOnly: false });
  const done = await Promise.all(Array.from({ length: 4 }, () => migrate(place)));
  expect(done.map(({ from }) => from).toSorted()).toEqual([0, VERSION, VERSION, VERSION]);
  expect(await status(place)).toMatchObject({
    ...{ version: VERSION, needs: VERSION, synchronousCommit: "on" },
  });
  expect(await open(place).list()).toEqual({ loops: [], total: 0, damaged: [] });
});

test("a store without tables says how to make them", async () => {
  const store = open({ url: owner, schema: newName() });
  await expect(store.list()).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("Make them with: ccw-loop store migrate"),
  });
});

test("once it has tables, the same store works", async () => {
  const place = { url: owner, schema: newName() };
  const store = open(place);
  expect(await codeOf(store.list())).toBe("store_unavailable");
  await migrate(place);
  expect(await codeOf(store.create(newLoop("a"), BY))).toBe("none");
});

test("a store that a newer program took over is refused, also by who has it open", async () => {
  const place = await newPlace();
  const before = open(place);
  await before.create(newLoop("a"), BY);
  await (await asOwner()).query(`INSERT INTO ${place.schema}.versions (version) VALUES (99)`);
  const newer = {
    code: "store_unavailable",
    message: expect.stringContaining("by a newer version of ccw-loop (tables 99; this one knows"),
  };
  await expect(before.append("a", 1, [noted("x")], BY)).rejects.toMatchObject(newer);
  await expect(before.create(newLoop("b"), BY)).rejects.toMatchObject(newer);
  await expect(open(place).read("a")).rejects.toMatchObject(newer);
  await expect(migrate(place)).rejects.toMatchObject(newer);
  expect(await status(place)).toMatchObject({ version: 99, needs: VERSION });
});

test("tables of an older version are brought forward with the loops in them", async () => {
  const place = { url: owner, schema: newName() };
  const client = await asOwner();
  const s = `"${place.schema}"`;
  await client.query(`CREATE SCHEMA ${s}; CREATE TABLE ${s}.versions (version int PRIMARY KEY)`);
  await client.query(`${MIGRATIONS[0]?.(s)}; INSERT INTO ${s}.versions VALUES (1)`);
  const state = newLoop("a", { revision: 1 });
  await client.query(
    `INSERT INTO ${s}.loops (id, revision, state, status, tags, words, updated_at)
    VALUES ('a', 1, $1, 'created', '{}', 'a', $2)`,
    [JSON.stringify(state), state.updated_at],
  );
  expect(await codeOf(open(place).read("a"))).toBe("store_unavailable");
  expect(await migrate(place)).toEqual({ from: 1, to: VERSION });
  const store = open(place);
  expect((await store.append("a", 1, [noted("x")], BY)).revision).toBe(2);
  await store.release(await store.claim("a", "me", 1000));
});

test("a migration that fails leaves nothing behind", async () => {
  const place = { url: owner, schema: newName() };
  const work = migrate({ ...place, grantTo: "nobody at all" });
  await expect(work).rejects.toThrow('role "nobody at all" does not exist');
  expect(await status(place)).toMatchObject({ version: 0 });
});
