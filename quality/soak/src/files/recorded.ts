import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { factsOf } from "../workers/messages.ts";

/** The commits of a loop, by revision, with their content in short: what the files say, without asking the store. */
export type Recorded = Map<number, string>;

interface JournalLine {
  revision: number;
  of?: number;
  event: unknown;
}

/** Those of the given revisions that are there: in the journal, or in the history if the journal does not have them yet. */
export function recordedOf(folder: string, id: string, wanted: ReadonlySet<number>): Recorded {
  const history = join(folder, `${id}.history`);
  for (let tries = 0; ; tries++) {
    const found = journalOf(folder, id, wanted);
    try {
      for (const name of readdirSync(history)) {
        const numbered = /^\d{10}\.json$/.test(name) ? Number.parseInt(name, 10) : 0;
        if (!wanted.has(numbered) || found.has(numbered)) continue;
        const { revision, events } = JSON.parse(readFileSync(join(history, name), "utf8"));
        found.set(revision, factsOf(events));
      }
      return found;
    } catch (error) {
      // Old commits are let go of while we read, and their files are used again: by then the journal has them.
      if (tries === 5) throw error;
    }
  }
}

/** What the journal alone has, of all revisions or some, without commits of which it has only a part. */
export function journalOf(folder: string, id: string, wanted?: ReadonlySet<number>): Recorded {
  const commits = new Map<number, { of: number; events: unknown[] }>();
  for (const line of journalLines(join(folder, `${id}.journal.jsonl`))) {
    const { revision, of = 1, event } = JSON.parse(line) as JournalLine;
    if (wanted && !wanted.has(revision)) continue;
    const commit = commits.get(revision) ?? { of, events: [] };
    commits.set(revision, commit);
    commit.events.push(event);
  }
  const whole = [...commits].filter(([, { of, events }]) => events.length === of);
  return new Map(whole.map(([revision, { events }]) => [revision, factsOf(events)]));
}

function journalLines(path: string): string[] {
  try {
    const text = readFileSync(path, "utf8");
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
