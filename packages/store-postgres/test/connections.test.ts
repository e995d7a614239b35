/** @module-tag slow */
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import {
  asOwner,
  BY,
  codeOf,
  newLoop,
  newName,
  newPlace,
  noted,
  open,
  owner,
  proxyToServer,
  urlWith,
} from "./places.ts";

const OP = { ...BY, opId: "op-1" };

/** A store, and another client that holds the row of its loop, so that a commit stays in the middle. */
async function heldUp(options: { patienceMs?: number } = {}) {
  const { url, schema } = await newPlace();
  const store = open({ url, schema, ...options });
  await store.create(newLoop("a"), BY);
  const holder = await asOwner();
  await holder.query(`BEGIN; SELECT FROM ${schema}.loops FOR UPDATE`);
  const watcher = await asOwner();
  const cutCommit = () =>
    vi.waitFor(async () => {
      const { rowCount } = await watcher.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE "${schema}".loops%'`,
      );
      expect(rowCount).toBe(1);
    }, 10_000);
  return { store, holder, cutCommit };
}

describe("a connection that is cut in the middle of a commit", () => {
  test("is replaced, and the commit happens once", async () => {
    const { store, holder, cutCommit } = await heldUp();
    const appending = store.append("a", 1, [noted("once")], OP);
    await cutCommit();
    expect(await store.operation("a", "op-1")).toBeNull();
    await holder.query("COMMIT");
    const made = await appending;
    expect(made.revision).toBe(2);
    expect(await store.operation("a", "op-1")).toEqual(made);
    expect(await Array.fromAsync(store.events("a", 1))).toHaveLength(1);
  });

  test("is told where nobody waits, and the op id says that nothing was written", async () => {
    const { store, holder, cutCommit } = await heldUp({ patienceMs: 0 });
    const appending = expect(store.append("a", 1, [noted("once")], OP)).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("Whether the commit was made is told by its op id."),
      details: { op_id: "op-1" },
    });
    await cutCommit();
    await appending;
    await holder.query("COMMIT");
    expect(await store.operation("a", "op-1")).toBeNull();
    expect((await store.append("a", 1, [noted("once")], OP)).revision).toBe(2);
  });
});

describe("an answer that is lost after all was done", () => {
  async function behindProxy(patienceMs?: number) {
    const proxy = await proxyToServer();
    const { schema } = await newPlace();
    const store = open({
      url: proxy.url,
      schema,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    });
    await store.create(newLoop("a"), BY);
    return { proxy, store };
  }

  test("and the op id says that the commit was made", async () => {
    const { proxy, store } = await behindProxy(0);
    proxy.loseAnswerTo("UPDATE");
    expect(await codeOf(store.append("a", 1, [noted("once")], OP))).toBe("store_unavailable");
    const made = await store.operation("a", "op-1");
    expect(made).toMatchObject({ revision: 2, state: { notes: "once" } });
    expect(await store.append("a", 1, [noted("once")], OP)).toEqual(made);
  });

  test("a commit without an op id happens once", async () => {
    const { proxy, store } = await behindProxy();
    proxy.loseAnswerTo("UPDATE");
    expect(await store.append("a", 1, [noted("once")], BY)).toMatchObject({ revision: 2 });
    expect((await store.read("a")).revision).toBe(2);
  });

  test("a loop is made, and removed, once", async () => {
    const { proxy, store } = await behindProxy();
    proxy.loseAnswerTo("INSERT");
    expect(await store.create(newLoop("b"), BY)).toMatchObject({ revision: 1 });
    proxy.loseAnswerTo("DELETE");
    await store.remove("b");
    expect(await codeOf(store.read("b"))).toBe("loop_not_found");
    expect(await codeOf(store.remove("b"))).toBe("loop_not_found");
  });

  test("whoever claimed has the lease", async () => {
    const { proxy, store } = await behindProxy();
    proxy.loseAnswerTo("nextval");
    const { epoch } = await store.claim("a", "me", 60_000);
    expect(await store.leaseOf("a")).toMatchObject({ owner: "me", epoch });
    await store.append("a", 1, [noted("mine")], { ...BY, epoch });
  });

  test("records of agent.log are there once", async () => {
    const { proxy, store } = await behindProxy();
    proxy.loseAnswerTo("log_batches");
    await store.appendLog("a", ["one"]);
    const records = await Array.fromAsync(store.readLog("a"));
    expect(records).toEqual([{ seq: 1, record: "one" }]);
  });
});

test("a server that is away for a while is waited for", async () => {
  const proxy = await proxyToServer();
  const { schema } = await newPlace();
  const store = open({ url: proxy.url, schema });
  await store.create(newLoop("a"), BY);
  proxy.cut();
  const appending = store.append("a", 1, [noted("later")], BY);
  await vi.waitFor(() => expect(proxy.refused()).toBeGreaterThan(1), 10_000);
  proxy.open();
  expect(await appending).toMatchObject({ revision: 2 });
});

test("a server that was never there is told at once, without the password", async () => {
  const url = urlWith({ port: "1", password: "se%63ret" });
  const store = open({ url });
  const error = await store.read("a").catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "store_unavailable", details: { code: "ECONNREFUSED" } });
  expect(String(error)).toContain("127.0.0.1:1/postgres");
  expect(String(error)).not.toContain("secret");
});

test.each([
  "postgres://me:secret@[/x",
  "mysql://me:secret@db/x",
  "postgres://me:secret@db/x?sslrootcert=/nowhere",
])("an address that cannot be read is refused without its password: %s", (url) => {
  expect(() => open({ url })).toThrow(
    expect.toSatisfy((error) => {
      return error.code === "invalid_input" && !inspect(error).includes("secret");
    }),
  );
});

test("a name for a schema that is none is refused", () => {
  expect(() => open({ schema: 'x"; DROP' })).toThrow(
    expect.objectContaining({ code: "invalid_input", message: expect.stringContaining("schema") }),
  );
});

describe("a role that", () => {
  async function role(more = "") {
    const { schema } = await newPlace();
    const name = newName();
    const admin = await asOwner();
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x' IN ROLE owner ${more}`);
    const url = urlWith({ username: name, password: "x" });
    /** From now on, or only for connections that are made from now on. */
    const readOnly = async (value: "on" | "off") => {
      await admin.query(`ALTER ROLE ${name} SET default_transaction_read_only = ${value}`);
      const own = "FROM pg_stat_activity WHERE usename = $1";
      if (value === "on") await admin.query(`SELECT pg_terminate_backend(pid) ${own}`, [name]);
    };
    return { url, schema, readOnly };
  }

  test("may only read, as on a standby, is told so, and reads", async () => {
    const { url, schema, readOnly } = await role();
    const store = open({ url, schema, patienceMs: 0 });
    await store.create(newLoop("a"), BY);
    await readOnly("on");
    await vi.waitFor(async () => {
      await expect(store.append("a", 1, [noted("x")], BY)).rejects.toMatchObject({
        code: "store_unavailable",
        details: { code: "25006" },
        message: expect.stringContaining("Name the primary"),
      });
    });
    expect((await store.read("a")).revision).toBe(1);
  });

  test("may only read until another server is the primary commits then", async () => {
    const { url, schema, readOnly } = await role();
    const proxy = await proxyToServer();
    const { port } = new URL(proxy.url);
    const store = open({ url: Object.assign(new URL(url), { port }).href, schema });
    await store.create(newLoop("a"), BY);
    await readOnly("on");
    const appending = store.append("a", 1, [noted("x")], BY);
    await vi.waitFor(() => expect(proxy.told("25006")).toBe(true), 10_000);
    await readOnly("off");
    expect(await appending).toMatchObject({ revision: 2 });
  });

  test("has no connection left waits for one", async () => {
    const { url, schema } = await role("CONNECTION LIMIT 1");
    const first = open({ url, schema, connections: 1 });
    await first.create(newLoop("a"), BY);
    const second = open({ url, schema, connections: 1 });
    await expect(second.read("a")).rejects.toMatchObject({ details: { code: "53300" } });
    await first.close();
    await vi.waitFor(async () => expect((await second.read("a")).revision).toBe(1));
  });
});

test("a database without room is told, and nothing is half there", async () => {
  const { schema } = await newPlace();
  const store = open({ url: owner, schema });
  await store.create(newLoop("a"), BY);
  const admin = await asOwner();
  await admin.query(`
    CREATE FUNCTION ${schema}.no_room() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT ON ${schema}.commits EXECUTE FUNCTION ${schema}.no_room();`);
  await expect(store.append("a", 1, [noted("x")], OP)).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("Free disk space"),
  });
  expect(await store.read("a")).toMatchObject({ revision: 1 });
  expect(await Array.fromAsync(store.events("a"))).toHaveLength(1);
  await admin.query(`DROP TRIGGER no_room ON ${schema}.commits`);
  expect(await store.append("a", 1, [noted("x")], OP)).toMatchObject({ revision: 2 });
});
