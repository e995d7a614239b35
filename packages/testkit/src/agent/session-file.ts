import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const KEPT_PROMPTS = 100;

/** How far one conversation has come. */
const SessionRecord = z.object({
  session_id: z.string(),
  /** Turns of the script, counted from 0, that are not played again. */
  used: z.array(z.int().nonnegative()),
  /** The first lines of the newest prompts: what this conversation has heard. */
  heard: z.array(z.string()),
  /** How long `used` and `heard` were when each finished turn ended; the first one's id is "1". */
  turns: z
    .array(z.object({ used: z.int().nonnegative(), heard: z.int().nonnegative() }))
    .default([]),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

export type SessionFiles = ReturnType<typeof sessionFiles>;

/**
 * The conversations of a scripted agent, one file each, in the folder `home`, which is made when it is missing. Only the
 * user may read them.
 */
export function sessionFiles(home: string) {
  const pathOf = (sessionId: string) => join(home, `${sessionId}.json`);
  return {
    /** Null when there is no such conversation, or its file cannot be read. */
    async find(sessionId: string): Promise<SessionRecord | null> {
      if (!/^[\w-]{1,64}$/.test(sessionId)) return null;
      try {
        return SessionRecord.parse(JSON.parse(await readFile(pathOf(sessionId), "utf8")));
      } catch {
        return null;
      }
    },
    /** Replaces the file whole; it survives the death of the process. */
    async save(record: SessionRecord): Promise<void> {
      const path = pathOf(record.session_id);
      const made = await mkdir(home, { recursive: true });
      // The folder may lie in a repository, where it is nobody's work.
      if (made) await writeFile(join(home, ".gitignore"), "*\n");
      await writeFile(`${path}.next`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
      await rename(`${path}.next`, path);
    },
  };
}

/** The record after one more prompt was heard. */
export function withPrompt(record: SessionRecord, prompt: string): SessionRecord {
  const line = prompt.split("\n", 1)[0]?.slice(0, 200) ?? "";
  const heard = [...record.heard, line];
  const dropped = Math.max(0, heard.length - KEPT_PROMPTS);
  return {
    ...record,
    heard: heard.slice(dropped),
    turns: record.turns.map((end) => ({ ...end, heard: Math.max(0, end.heard - dropped) })),
  };
}

/** The record after one more turn ended, and that turn's id. */
export function withTurn(record: SessionRecord): { record: SessionRecord; turn_id: string } {
  const turns = [...record.turns, { used: record.used.length, heard: record.heard.length }];
  return { record: { ...record, turns }, turn_id: String(turns.length) };
}

/** A conversation of its own that has come as far as this one had when that turn ended; null without that turn. */
export function copyOf(
  record: SessionRecord,
  turn_id: string | null,
  session_id: string,
): SessionRecord | null {
  if (turn_id === null) return { ...record, session_id };
  const count = record.turns.findIndex((_, i) => String(i + 1) === turn_id) + 1;
  const end = record.turns[count - 1];
  if (!end) return null;
  return {
    session_id,
    used: record.used.slice(0, end.used),
    heard: record.heard.slice(0, end.heard),
    turns: record.turns.slice(0, count),
  };
}
