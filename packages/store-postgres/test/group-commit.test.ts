import { expect, test } from "vitest";
import { asOwner, BY, codeOf, newLoop, newPlace, noted, open } from "./places.ts";

async function loopsOf(...ids: string[]) {
  const place = await newPlace();
  const store = open(place);
  for (const id of ids) await store.create(newLoop(id), BY);
  return { place, store };
}

test("commits of many loops in the same turn of the event loop share transactions", async () => {
  const ids = Array.from({ length: 40 }, (_, i) => `loop-${i}`);
  const { place, store } = await loopsOf(...ids);
  const made = await Promise.all(ids.map((id) => store.append(id, 1, [noted(id)], BY)));
  expect(made.map(({ revision }) => revision)).toEqual(ids.map(() => 2));
  const { rows } = await (await asOwner()).query(
    `SELECT count(DISTINCT xmin::text)::int AS transactions, count(*)::int AS commits
    FROM ${place.schema}.commits WHERE revision = 2`,
  );
  expect(rows).toEqual([{ transactions: 2, commits: 40 }]);
  const other = open(place);
  for (const id of ids) expect((await other.read(id)).state.notes).toBe(id);
});

test("what speaks against one of them is no matter of the others", async () => {
  const { store } = await loopsOf("free", "stale", "fenced", "again", "reused", "gone");
  await store.append("stale", 1, [noted("before")], BY);
  await store.append("again", 1, [noted("once")], { ...BY, opId: "op" });
  await store.append("reused", 1, [noted("once")], { ...BY, opId: "op" });
  const { epoch } = await store.claim("fenced", "me", 60_000);
  await store.remove("gone");
  const append = (id: string, revision: number, by: object) =>
    codeOf(store.append(id, revision, [noted("now")], { ...BY, ...by }));
  expect(
    await Promise.all([
      append("free", 1, {}),
      append("stale", 1, {}),
      append("fenced", 1, { epoch: epoch + 1 }),
      // The next revision, by a name that was used before: the database breaks the whole statement off.
      append("again", 2, { opId: "op" }),
      append("reused", 2, { opId: "another" }),
      append("gone", 1, {}),
    ]),
  ).toEqual(["none", "revision_conflict", "fenced", "none", "none", "loop_not_found"]);
  const notes = async (id: string) => (await store.read(id)).state.notes;
  expect(await Promise.all(["free", "stale", "again", "reused"].map(notes))).toEqual([
    ...["now", "before", "once", "now"],
  ]);
});

test("a commit that the server refuses fails alone", async () => {
  const { place, store } = await loopsOf("refused", "free", "other");
  await (await asOwner()).query(
    `ALTER TABLE ${place.schema}.loops ADD CHECK (id <> 'refused' OR revision = 1)`,
  );
  const append = (id: string) => codeOf(store.append(id, 1, [noted("x")], BY));
  const codes = await Promise.all(["refused", "free", "other"].map(append));
  expect(codes).toEqual([expect.stringContaining("check constraint"), "none", "none"]);
});

test("of two commits of one loop in the same turn exactly one is made", async () => {
  const { store } = await loopsOf("a", "b");
  for (let revision = 1; revision <= 20; revision++) {
    const append = (id: string, notes: string) =>
      codeOf(store.append(id, revision, [noted(notes)], BY));
    const [one, two, other] = await Promise.all([
      append("a", "1"),
      append("a", "2"),
      append("b", ""),
    ]);
    expect([one, two].toSorted()).toEqual(["none", "revision_conflict"]);
    expect(other).toBe("none");
    expect((await store.read("a")).state.notes).toBe(one === "none" ? "1" : "2");
  }
});

test("the history of a loop goes with it", async () => {
  const { place, store } = await loopsOf("a", "b");
  await store.append("a", 1, [noted("x")], BY);
  await store.remove("a");
  const { rows } = await (await asOwner()).query(
    `SELECT count(*)::int AS commits FROM ${place.schema}.commits`,
  );
  expect(rows).toEqual([{ commits: 1 }]);
});
