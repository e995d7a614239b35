import { LoopError } from "@ccw-loop/core";
import pg from "pg";
import { requireVersion } from "./database.ts";
import { failureOf } from "./failures.ts";
import { grants, MIGRATIONS, VERSION } from "./migrations.ts";
import { Client, type PostgresOptions, parseOptions, placeOf } from "./options.ts";

/** The lock that whoever changes tables of ours holds; the number has no meaning. */
const LOCK = 4_711_202_611;

export interface PostgresStatus {
  /** `HOST:PORT/DATABASE`. */
  place: string;
  schema: string;
  /** The version of the tables; 0 where there are none. */
  version: number;
  /** The one that this program works with. */
  needs: number;
  /** PostgreSQL's own version. */
  server: string;
  /** It takes no writes: a standby, or made so. */
  readOnly: boolean;
  /** What an acknowledged commit survives, as the server calls it: `off` is not even a crash of the server. */
  synchronousCommit: string;
}

/**
 * Makes the tables, or brings them to the version of this program, and answers with the versions before and after. Of
 * several that do so at once, one does it. All of it happens, or nothing. Throws `store_unavailable`, also for tables of a
 * newer program.
 */
export async function migrate({
  grantTo,
  ...options
}: PostgresOptions & {
  /** The role that programs connect as: it gets what they need, and no more. */
  grantTo?: string | undefined;
}): Promise<{ from: number; to: number }> {
  return connected(options, async (client, schema, name) => {
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    const from = await versionOf(client, schema);
    if (from > VERSION) requireVersion(name, from);
    await makeSchema(client, schema);
    for (let version = from + 1; version <= VERSION; version += 1) {
      await client.query(MIGRATIONS[version - 1]?.(schema) ?? "");
      await client.query(`INSERT INTO ${schema}.versions (version) VALUES ($1)`, [version]);
    }
    if (grantTo !== undefined) await client.query(grants(schema, pg.escapeIdentifier(grantTo)));
    await client.query("COMMIT");
    return { from, to: VERSION };
  });
}

/** Looks, and changes nothing. Throws `store_unavailable` where the place cannot be reached. */
export async function status(options: PostgresOptions): Promise<PostgresStatus> {
  return connected(options, async (client, schema, place) => {
    const version = await versionOf(client, schema);
    const { rows } = await client.query(
      `SELECT current_setting('server_version') AS server,
        pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "readOnly",
        current_setting('synchronous_commit') AS "synchronousCommit"`,
    );
    return { place, schema: schema.slice(1, -1), version, needs: VERSION, ...rows[0] };
  });
}

async function connected<T>(
  options: PostgresOptions,
  work: (client: pg.Client, schema: string, name: string) => Promise<T>,
): Promise<T> {
  const settings = parseOptions(options);
  const { config, name } = placeOf(settings, settings.url);
  // Others may hold the lock for as long as their steps take.
  const client = new Client({ ...config, query_timeout: 0 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client, `"${settings.schema}"`, name);
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw failureOf(error, name)?.error ?? error;
  } finally {
    // What was begun and not committed goes with the connection.
    await client.end();
  }
}

async function versionOf(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS exists", [
    `${schema}.versions`,
  ]);
  if (!rows[0].exists) return 0;
  const found = await client.query(`SELECT max(version) AS version FROM ${schema}.versions`);
  return found.rows[0].version ?? 0;
}

/** Asked for only where it is missing: who may not create a schema may be given one. */
async function makeSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query("SELECT to_regnamespace($1) IS NULL AS missing", [schema]);
  if (rows[0].missing) await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.versions (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp())`,
  );
}
