import { errorText, LoopError } from "@ccw-loop/core";

interface Failure {
  error: LoopError;
  /** A matter of time: another connection may find it otherwise. */
  passes: boolean;
}

interface Row {
  advice: string;
  passes?: true;
}

const RIGHTS =
  "Give this role its rights, as the owner, with: ccw-loop store migrate --grant-to ROLE";
const NO_PASSWORD =
  "It asks for a password. Put it into ~/.config/ccw-loop/pgpass and name that file in PGPASSFILE, or give it in PGPASSWORD.";
const LATER = "Try again in a moment.";

/** What the server says by its SQLSTATE, or the beginning of it, the longest that fits; what is not here is a defect of ours. */
const STATES: Readonly<Record<string, Row>> = {
  "08": { advice: LATER, passes: true },
  "25006": {
    advice: "It takes no writes: it is a standby, or was made read-only. Name the primary.",
    passes: true,
  },
  "28": { advice: "Check user and password, PGPASSFILE, and pg_hba.conf of the server." },
  "3D000": { advice: "Create the database, or name another one." },
  "40": { advice: LATER, passes: true },
  "42501": { advice: RIGHTS },
  "53": { advice: "Free disk space or memory of the database server, then try again." },
  "53300": { advice: "Allow more connections on the server, or fewer here.", passes: true },
  "55P03": { advice: LATER, passes: true },
  "57014": { advice: "The server broke the statement off. Look at its statement_timeout." },
  "57P": { advice: LATER, passes: true },
  "58": { advice: "The database server cannot use its files. Look at its log." },
  XX: { advice: "Look at the log of the database server." },
};

/**
 * What went wrong with the database called `name`, as `store_unavailable`; undefined for what is no failure of it, such as
 * a broken constraint.
 */
export function failureOf(error: unknown, name: string): Failure | undefined {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof LoopError) return;
  const state = sqlStateOf(error);
  const row = state === "" ? connectionRow(error) : rowOf(state);
  if (!row) return;
  const message = `The database ${name} cannot be used now: ${textOf(error)}. ${row.advice}`;
  const details = { code: state || codeOf(error) };
  return {
    error: new LoopError("store_unavailable", message, { cause: error, details }),
    passes: row.passes === true,
  };
}

/** The five characters of an error that the server answered with; `""` for one of the connection. */
export function sqlStateOf(error: unknown): string {
  const code = codeOf(error);
  const isState = /^[0-9A-Z]{5}$/.test(code) && error instanceof Error && "severity" in error;
  return isState ? code : "";
}

/** Whether a commit or a batch is there already. */
export function isTaken(error: unknown): boolean {
  return sqlStateOf(error) === "23505";
}

/** Whether what a row belongs to was removed meanwhile. */
export function isOrphaned(error: unknown): boolean {
  return sqlStateOf(error) === "23503";
}

/** Whether a prepared statement is not there, is another connection's, or was prepared for other tables: nothing was done. */
export function isMisprepared(error: unknown): boolean {
  return ["26000", "42P05", "0A000"].includes(sqlStateOf(error));
}

export function lacksTables(error: unknown): boolean {
  return ["42P01", "3F000"].includes(sqlStateOf(error));
}

/** Of what the server did not answer. The driver has no code for a password that it was not given. */
function connectionRow({ message }: Error): Row {
  return message.includes("client password must be a")
    ? { advice: NO_PASSWORD }
    : { advice: LATER, passes: true };
}

function rowOf(state: string): Row | undefined {
  for (let length = state.length; length > 0; length -= 1) {
    const row = STATES[state.slice(0, length)];
    if (row) return row;
  }
  return undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** A name with several addresses fails with one error for each, and without a text of its own. */
function textOf(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  return errorText(first ?? error).replace(/\.$/, "");
}
