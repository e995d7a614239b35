import { isPlain, LoopError } from "@ccw-loop/core";
import type { OperatorModule } from "./module-file.ts";

/** Loops in a database, by options of `@ccw-loop/store-postgres`: `url`, which has to be there, and more. */
export interface DatabaseChoice {
  database: Readonly<Record<string, unknown>>;
}

/** Where loops are kept when it is not in the files of the project. */
export type StoreChoice = DatabaseChoice | OperatorModule;

/** The variable that names a database for every command of a terminal, or of a container. */
const STORE_VARIABLE = "CCW_LOOP_STORE";

const ADDRESS = /^postgres(ql)?:\/\//;

/** Whether an address holds a password: between the user and the host, or as a parameter. */
export function hasPassword(address: string): boolean {
  return /^\w+:\/\/[^@/?#]*:[^?]*@|[?&]password=/.test(address);
}

/**
 * The database that this command line names, else the environment; null where neither does. Throws `invalid_input` for what
 * is no address, without repeating it: it may hold a password. That is refused in an argument, which every user of the machine may read.
 */
export function databaseSaid(
  env: Readonly<Record<string, string | undefined>>,
  flag: string | undefined,
): DatabaseChoice | null {
  const url = flag ?? env[STORE_VARIABLE] ?? "";
  if (url === "") return null;
  const name = flag === undefined ? STORE_VARIABLE : "--store";
  if (flag !== undefined && hasPassword(flag)) {
    const message = `--store must not hold a password: everybody on this machine can read the arguments of a program. Leave it out, and keep it in the file that PGPASSFILE names, in PGPASSWORD, or give the whole address as ${STORE_VARIABLE}.`;
    throw new LoopError("invalid_input", message);
  }
  return databaseIn(url, name);
}

/** Of the operator's own configuration: an address, or an object with `url`; undefined for what is neither. Throws `invalid_input`. */
export function databaseOf(value: unknown, name: string): DatabaseChoice | undefined {
  if (typeof value === "string") return databaseIn(value, name);
  if (!isPlain(value) || typeof value.url !== "string") return undefined;
  return { database: { ...value, ...databaseIn(value.url, name).database } };
}

function databaseIn(url: string, name: string): DatabaseChoice {
  if (ADDRESS.test(url)) return { database: { url } };
  const message = `${name} is no address of a database: give it as postgres://USER@HOST:PORT/DATABASE, and another schema than ccw_loop as ?schema=NAME.`;
  throw new LoopError("invalid_input", message, { details: { key: "store" } });
}

/** Where the loops are, for people: the folder of the project unless they are elsewhere. Throws `invalid_input`. */
export async function placeOfLoops(choice: StoreChoice | undefined, root: string): Promise<string> {
  if (choice === undefined) return root;
  if (!("database" in choice)) return choice.file;
  const { placeName } = await openDatabase();
  return `the database ${placeName(choice.database)}`;
}

/** What opens loops in a database; loaded by nobody else. */
export const openDatabase = () => import("@ccw-loop/store-postgres");
