import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { queried, startPostgres } from "../../../store-postgres/test/server.ts";

/** A PostgreSQL server for the tests of a file. */
export function database() {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  return {
    /** A place of its own for loops, without tables. */
    place(): Place {
      const url = new URL(server.url);
      url.searchParams.set("schema", `t_${randomBytes(6).toString("hex")}`);
      const open = Object.assign(new URL(url), { password: "" });
      return { whole: url.href, address: open.href, password: url.password, url: server.url };
    },
  };
}

export interface Place {
  /** The address with the password, for the environment. */
  whole: string;
  /** Without it, for an argument. */
  address: string;
  password: string;
  /** The server, whichever schema. */
  url: string;
}

/** Runs a statement as the owner of the server; SCHEMA in it is that of the place. */
export function sql({ url, whole }: Place, text: string): Promise<unknown[]> {
  const schema = new URL(whole).searchParams.get("schema") ?? "";
  return queried(url, text.replaceAll("SCHEMA", schema));
}
