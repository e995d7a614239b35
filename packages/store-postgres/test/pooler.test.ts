/** @module-tag slow */
import { describeLoopStore } from "@ccw-loop/testkit/contracts";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { migrate, postgresStore } from "../src/index.ts";
import { newName, owner } from "./places.ts";
import { transactionPooler } from "./pooler.ts";

const pooler = await transactionPooler(3);
afterAll(() => pooler.close());

test("the pooler gives a prepared statement to nobody in particular", async () => {
  const client = new pg.Client({ connectionString: pooler.url });
  await client.connect();
  const query = () => client.query({ name: "mine", text: "SELECT 1" });
  await query();
  await expect(query()).rejects.toMatchObject({ code: "26000" });
  await client.end();
});

describeLoopStore("postgres behind a pooler in transaction mode", async () => {
  const place = { url: pooler.url, schema: newName() };
  await migrate(place);
  return postgresStore({ ...place, listen: owner });
});
