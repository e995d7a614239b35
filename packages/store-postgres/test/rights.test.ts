/** @module-tag slow */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import factory, { migrate } from "../src/index.ts";
import { asOwner, BY, codeOf, newLoop, newName, noted, open, owner, urlWith } from "./places.ts";

/** A role that may log in and nothing else, but what `migrate` grants it. */
async function worker() {
  const name = newName();
  await (await asOwner()).query(`CREATE ROLE ${name} LOGIN PASSWORD 'its password'`);
  const schema = newName();
  await migrate({ url: owner, schema, grantTo: name });
  return { name, schema, url: urlWith({ username: name, password: "its password" }) };
}

test("what migrate grants is enough to drive loops", async () => {
  const { url, schema } = await worker();
  const store = open({ url, schema });
  await store.create(newLoop("a"), BY);
  const lease = await store.claim("a", "me", 60_000);
  await store.append("a", 1, [noted("x")], { ...BY, epoch: lease.epoch });
  await store.renew(lease);
  await store.appendLog("a", [1]);
  expect(await Array.fromAsync(store.readLog("a"))).toHaveLength(1);
  await store.release(lease);
  expect((await store.list()).total).toBe(1);
  await store.remove("a");
  expect(await codeOf(store.read("a"))).toBe("loop_not_found");
});

test("it is not enough to change the history or the tables", async () => {
  const { url, schema } = await worker();
  await open({ url, schema }).create(newLoop("a"), BY);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  for (const statement of [
    `UPDATE ${schema}.commits SET actor = 'nobody'`,
    `DELETE FROM ${schema}.commits`,
    `INSERT INTO ${schema}.versions (version) VALUES (0)`,
    `DROP TABLE ${schema}.loops`,
  ]) {
    await expect(client.query(statement), statement).rejects.toMatchObject({ code: "42501" });
  }
});

test("a role without rights is told which it needs", async () => {
  const { schema } = await worker();
  const { url } = await worker();
  await expect(open({ url, schema }).list()).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("store migrate --grant-to ROLE"),
  });
});

test("a wrong password is told once, and not repeated", async () => {
  const { name, schema } = await worker();
  const error = await open({ url: urlWith({ username: name, password: "secret" }), schema })
    .list()
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "store_unavailable", details: { code: "28P01" } });
  expect(String(error)).not.toContain("secret");
});

test("a password that is missing is asked for, at once", async () => {
  const { name, schema } = await worker();
  const store = open({ url: urlWith({ username: name, password: "" }), schema });
  await expect(store.list()).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("name that file in PGPASSFILE, or give it in PGPASSWORD"),
  });
});

test("a password comes from PGPASSFILE", async () => {
  const { name, schema } = await worker();
  const folder = mkdtempSync(join(tmpdir(), "ccw-passfile-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "pgpass");
  const { hostname, port } = new URL(owner);
  writeFileSync(file, `${hostname}:${port}:postgres:${name}:its password\n`);
  chmodSync(file, 0o600);
  vi.stubEnv("PGPASSFILE", file);
  onTestFinished(() => void vi.unstubAllEnvs());
  const store = open({ url: urlWith({ username: name, password: "" }), schema });
  expect((await store.list()).total).toBe(0);
});

const certificate = inject("certificate");
describe.runIf(certificate !== null)("over TLS", () => {
  const search = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate ?? "")}`;

  test("the server is known by its certificate", async () => {
    const { schema } = await worker();
    const store = open({ url: urlWith({ search }), schema });
    expect((await store.list()).total).toBe(0);
    const { rows } = await (await asOwner()).query(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE query LIKE $1",
      [`%"${schema}".loops%`],
    );
    expect(rows).toEqual([{ ssl: true }]);
  });

  test("a server that nobody vouches for is refused", async () => {
    const store = open({ url: urlWith({ search: "?sslmode=verify-full" }) });
    expect(await codeOf(store.list())).toBe("store_unavailable");
  });
});

test("the module opens a store with the options that an operator gives", async () => {
  const { url, schema } = await worker();
  const place = { root: "/", warn: () => undefined };
  const store = await factory.open({ ...place, options: { url, schema } });
  onTestFinished(() => store.close());
  expect((await store.list()).total).toBe(0);
  expect(store.progressDir("a")).toMatch(
    /^postgres:\/\/127\.0\.0\.1:\d+\/postgres\/t_\w+\/a\.progress$/,
  );
  expect(() => factory.open({ ...place, options: { adress: url } })).toThrow(
    expect.objectContaining({ code: "invalid_input", message: expect.stringContaining("adress") }),
  );
});
