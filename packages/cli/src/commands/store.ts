import { LoopError, withoutUndefined } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import { type DatabaseChoice, openDatabase } from "../extensions/store-choice.ts";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";
import { loopFolder } from "../runtime/project-root.ts";

/** Where the loops are, and whether this program can work with what is there. */
export async function status({ parts, root, hint }: Context): Promise<Answer> {
  const choice = await parts.storeChoice();
  if (choice === undefined) {
    const place = loopFolder(root);
    return { data: { kind: "files", place, ready: true }, text: `Loops are files in ${place}.` };
  }
  if (!("database" in choice)) {
    const { file: place } = choice;
    await parts.store();
    const text = `Loops are kept by the module ${place}.`;
    return { data: { kind: "module", place, ready: true }, text };
  }
  const { found, message, next } = await databaseStanding(choice);
  const ready = next === null;
  const { place, schema, version, needs, server, readOnly, synchronousCommit } = found;
  const survives = SURVIVES[synchronousCommit] ?? "what the server says";
  const lines = [
    `Loops are in the database ${place}, schema ${schema}, of PostgreSQL ${server}.`,
    message,
    ...(ready ? [] : [next]),
    `A commit survives ${survives} (synchronous_commit=${synchronousCommit}).`,
  ];
  const data = { kind: "database", place, schema, ready, version, needs, server };
  return {
    data: { ...data, read_only: readOnly, synchronous_commit: synchronousCommit },
    text: hint(lines.map(sanitizeLine).join("\n")),
    exit: ready ? 0 : 1,
  };
}

/** How the tables stand, with the next step where this program cannot work with them. Throws `store_unavailable`. */
export async function databaseStanding({ database }: DatabaseChoice) {
  const { status: look } = await openDatabase();
  const found = await look(database);
  const { version, needs, readOnly, place } = found;
  const told = (message: string, next: string | null = null) => ({ found, message, next });
  if (version > needs) {
    const message = `The tables in ${place} are of version ${version}; this program knows ${needs}.`;
    return told(message, "Go on with a newer ccw-loop.");
  }
  if (version < needs) {
    const message =
      version === 0
        ? `The tables for loops are not in ${place} yet.`
        : `The tables in ${place} are of version ${version}; this program needs ${needs}.`;
    return told(message, "Make them with: ccw-loop store migrate");
  }
  if (!readOnly)
    return told(`The tables in ${place} are of version ${version}, as this program needs them.`);
  return told(
    `${place} takes no writes: it is a standby, or was made read-only.`,
    "Name the primary.",
  );
}

/** Makes the tables, or brings them to the version of this program. Throws `invalid_input` where there is no database. */
export async function migrate(
  { parts }: Context,
  { grantTo }: { grantTo?: string },
): Promise<Answer> {
  const choice = await parts.storeChoice();
  if (choice === undefined || !("database" in choice)) {
    const message = `There are no tables to migrate: the loops are ${choice === undefined ? "files of the project" : `kept by the module ${choice.file}`}. Name a database with --store postgres://USER@HOST/DATABASE.`;
    throw new LoopError("invalid_input", message);
  }
  const database = await openDatabase();
  const { from, to } = await database.migrate({
    ...choice.database,
    ...withoutUndefined({ grantTo }),
  });
  const done =
    from === to
      ? `The tables were of version ${to} already.`
      : from === 0
        ? `The tables are made, of version ${to}.`
        : `The tables went from version ${from} to ${to}.`;
  const granted = grantTo === undefined ? "" : ` ${grantTo} has the rights to drive loops.`;
  return { data: { from, to, granted_to: grantTo ?? null }, text: sanitizeLine(done + granted) };
}

/** What an acknowledged commit outlives, by `synchronous_commit` of the server. */
const SURVIVES: Readonly<Record<string, string>> = {
  off: "not even a crash of the server",
  local: "a crash of the server, and not its loss",
  remote_write: "a crash of the server, and its loss where it has a synchronous standby",
  on: "a crash of the server, and its loss where it has a synchronous standby",
  remote_apply: "a crash of the server, and its loss where it has a synchronous standby",
};
