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
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** The conversations of a scripted agent, one file each. */
export interface SessionFiles {
  /** Null when there is no such conversation, or its file cannot be read. */
  find(sessionId: string): Promise<SessionRecord | null>;
  /** Replaces the file whole; it survives the death of the process. */
  save(record: SessionRecord): Promise<void>;
}

/** Conversations in the folder `home`, which is made when it is missing. Only the user may read them. */
export function sessionFiles(home: string): SessionFiles {
  const pathOf = (sessionId: string) => join(home, `${sessionId}.json`);
  return {
    async find(sessionId) {
      if (!/^[\w-]{1,64}$/.test(sessionId)) return null;
      try {
        return SessionRecord.parse(JSON.parse(await readFile(pathOf(sessionId), "utf8")));
      } catch {
        return null;
      }
    },
    async save(record) {
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
  return { ...record, heard: [...record.heard, line].slice(-KEPT_PROMPTS) };
}
