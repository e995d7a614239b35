import { invalidInput, LoopError } from "@ccw-loop/core";
import pg from "pg";
import passwordFromFile from "pgpass";
import { z } from "zod";

export const PostgresOptions = z.strictObject({
  /**
   * `postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full&schema=SCHEMA`. What it leaves out comes from PGHOST, PGUSER,
   * PGPASSFILE and the like.
   */
  url: z.string().optional(),
  /** The schema that holds the tables, unless `url` says it. Loops of several projects in one database have one each. */
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,39}$/, "use a-z, 0-9 and '_', at most 40")
    .default("ccw_loop"),
  /** Another address for the one connection that listens: past a pooler in transaction mode. `false`: polling alone. */
  listen: z.union([z.string(), z.literal(false)]).optional(),
  /** The most connections of this process, the listening one not counted. */
  connections: z.int().min(1).max(1000).default(10),
  /** How long one statement, or a connection that is being made, may take. */
  timeoutMs: z.int().min(100).default(15_000),
  /** For how long a lost connection, a failover or a server without free connections is borne before it is told. */
  patienceMs: z.int().min(0).default(15_000),
  /** How often watchers look, whatever the notifications say. */
  pollMs: z.int().min(10).default(1000),
  /** How many bytes of agent.log a loop keeps, at least. */
  keepLogBytes: z
    .int()
    .min(0)
    .default(32 * 1024 * 1024),
});
export type PostgresOptions = z.input<typeof PostgresOptions>;
export type Settings = z.output<typeof PostgresOptions>;

/** The options with their defaults. Throws `invalid_input` with the name of the wrong one. */
export function parseOptions(options: unknown): Settings {
  const { url, ...others } = parsed(PostgresOptions, options ?? {});
  const [, named] = /[?&]schema=([^&#]*)/.exec(url ?? "") ?? [];
  const schema =
    named === undefined ? others.schema : parsed(PostgresOptions, { schema: named }).schema;
  return { ...others, ...(url === undefined ? {} : { url }), schema };
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const found = schema.safeParse(value);
  if (!found.success) throw invalidInput(found.error);
  return found.data;
}

/** A place of loops: how a connection to it is made, and its name for people. */
export interface Place {
  config: pg.ClientConfig;
  /** `HOST:PORT/DATABASE`, without a user and a password. */
  name: string;
}

/** A client that takes a password that neither the address nor PGPASSWORD has from PGPASSFILE, or `~/.pgpass`. */
export class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const given = this as { password?: unknown };
    given.password ??= () => new Promise((found) => passwordFromFile(this, found));
  }
}

/** Throws `invalid_input` for an address that cannot be read; what it holds is not repeated, for it may be a password. */
export function placeOf({ timeoutMs }: Settings, url: string | undefined): Place {
  const config: pg.ClientConfig = {
    ...(url === undefined ? {} : { connectionString: url }),
    application_name: "ccw-loop",
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    types: { getTypeParser: parserOf as typeof pg.types.getTypeParser },
  };
  try {
    if (url !== undefined && !/^postgres(ql)?:\/\//.test(url))
      throw new TypeError("another scheme");
    const { host, port, database } = new Client(config);
    return { config, name: `${host}:${port}/${database ?? ""}` };
  } catch {
    throw new LoopError(
      "invalid_input",
      "The address of the database cannot be read. Give it as postgres://USER@HOST:PORT/DATABASE, with %XX for what has a meaning in addresses, and existing files for certificates.",
    );
  }
}

/** `HOST:PORT/DATABASE` of these options, without a user and a password. Throws `invalid_input`. */
export function placeName(options: PostgresOptions): string {
  const settings = parseOptions(options);
  return placeOf(settings, settings.url).name;
}

const INT8 = 20;
const JSON_TYPE = 114;

/** Revisions, epochs and numbers of records are numbers; documents stay text, for they are read with bounds. */
function parserOf(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === INT8) return Number;
  if (oid === JSON_TYPE) return String;
  return pg.types.getTypeParser(oid, format as "text");
}
