/** @module-tag slow */
import { expect, test } from "vitest";
import { asOwner, BY, codeOf, newLoop, newPlace, noted, open, owner } from "./places.ts";

async function damagedLoop(...statements: string[]) {
  const { schema } = await newPlace();
  const before = open({ url: owner, schema });
  await before.create(newLoop("a"), BY);
  await before.create(newLoop("b"), BY);
  await before.append("a", 1, [noted("one")], BY);
  const whole = await before.append("a", 2, [noted("two")], BY);
  const admin = await asOwner();
  for (const statement of statements) await admin.query(statement.replaceAll("$s", schema));
  return { store: open({ url: owner, schema }), whole };
}

const NO_STATE = `UPDATE $s.loops SET state = '{"title": 1}' WHERE id = 'a'`;
const NO_END = `UPDATE $s.commits SET events = '[{"type":"?"}]' WHERE revision = 3`;
const AT = "2026-02-01T00:00:00.000Z";

test("a state that cannot be read is that loop's error alone, and is shown", async () => {
  const { store } = await damagedLoop(NO_STATE);
  await expect(store.read("a")).rejects.toMatchObject({
    code: "store_corrupt",
    message: expect.stringContaining("ccw-loop recover a"),
  });
  const { loops, total, damaged } = await store.list();
  expect(loops.map(({ state }) => state.loop_id)).toEqual(["b"]);
  expect(total).toBe(2);
  expect(damaged).toEqual([{ id: "a", reason: expect.stringContaining("schema") }]);
});

test("it is rebuilt exactly from the history", async () => {
  const { store, whole } = await damagedLoop(NO_STATE);
  const plan = await store.recover("a", { dryRun: true, at: AT });
  expect(plan).toMatchObject({ source: "journal", state: whole.state });
  expect(await codeOf(store.read("a"))).toBe("store_corrupt");
  expect(await store.recover("a", { dryRun: false, at: AT })).toEqual(plan);
  expect(await store.read("a")).toEqual(whole);
});

test("where the end of the history is lost as well, the loop goes on before it", async () => {
  const { store } = await damagedLoop(NO_STATE, NO_END);
  const { state, notes } = await store.recover("a", { dryRun: false, at: AT });
  expect(notes).toEqual([expect.stringContaining("after revision 2 is lost")]);
  expect(state).toMatchObject({ notes: "one", revision: 4 });
  expect(await store.read("a")).toEqual({ state, revision: 4 });
  expect(await store.append("a", 4, [noted("on")], { ...BY, opId: "on" })).toMatchObject({
    revision: 5,
  });
  await store.append("a", 5, [noted("further")], BY);
  expect(await store.operation("a", "on")).toMatchObject({ revision: 5, state: { notes: "on" } });
});

test("a state of another loop, or of another revision, is damage", async () => {
  for (const change of ["id = 'c' WHERE id = 'a'", "revision = 7 WHERE id = 'a'"]) {
    const { store } = await damagedLoop(`UPDATE $s.loops SET ${change}`);
    const id = change.startsWith("id") ? "c" : "a";
    expect(await codeOf(store.read(id))).toBe("store_corrupt");
  }
});

test("a state that a newer program wrote is left alone", async () => {
  const { store } = await damagedLoop(
    `UPDATE $s.loops SET state = '{"schema_version": 999}' WHERE id = 'a'`,
  );
  const newer = { code: "store_unavailable", message: expect.stringContaining("newer version") };
  await expect(store.read("a")).rejects.toMatchObject(newer);
  await expect(store.recover("a", { dryRun: false, at: AT })).rejects.toMatchObject(newer);
  await expect(store.remove("a")).rejects.toMatchObject(newer);
});

test("a damaged loop can be removed, unless a revision is named", async () => {
  const { store } = await damagedLoop(NO_STATE);
  expect(await codeOf(store.remove("a", { revision: 3 }))).toBe("store_corrupt");
  await store.remove("a");
  expect(await codeOf(store.read("a"))).toBe("loop_not_found");
});

test("texts that PostgreSQL cannot keep do no harm", async () => {
  const { schema } = await newPlace();
  const store = open({ url: owner, schema });
  const odd = "zero \0 and half \ud800";
  const made = await store.create(newLoop("a", { title: odd, tags: [odd] }), {
    actor: odd,
    opId: odd,
  });
  expect(made.state.title).toBe(odd);
  expect(await open({ url: owner, schema }).read("a")).toEqual(made);
  expect((await store.list({ tag: odd, text: odd })).total).toBe(1);
  expect(await store.operation("a", odd)).toEqual(made);
});
