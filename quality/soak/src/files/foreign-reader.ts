import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import { isMissing, LoopEvent, LoopState, TaskLine } from "@ccw-loop/core";
import { z } from "zod";

const JournalLine = z.looseObject({
  revision: z.int().positive(),
  actor: z.string(),
  event: LoopEvent,
});
const Whatever = z.looseObject({});

/** How a foreign program reads the files of loops: with plain calls, and a JSON parser. */
export interface ForeignReader {
  /** Reads every public file of every loop in the folder; answers how many, and what could not be read. */
  read(folder: string): { files: number; problems: string[] };
}

/**
 * Remembers how far it has read the files that only grow, so that it can read all the time. A line without an end
 * is one that is being written; anything else must be whole at any time, and what was there once must stay there.
 */
export function foreignReader(): ForeignReader {
  const seen = new Set<string>();
  const grown = new Map<string, number>();
  const texts = new Map<string, string>();

  function linesOf(path: string, schema: z.ZodType): void {
    const from = path.endsWith(".journal.jsonl") ? (grown.get(path) ?? 0) : 0;
    const text = textFrom(path, from);
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    grown.set(path, from + Buffer.byteLength(whole));
    if (!isNew(path, whole)) return;
    for (const line of whole.split("\n")) if (line !== "") schema.parse(JSON.parse(line));
  }

  /** False when nothing is new there. */
  function isNew(path: string, text: string): boolean {
    if (texts.get(path) === text) return false;
    texts.set(path, text);
    return true;
  }

  function readOne(path: string): void {
    const name = basename(path);
    if (name.endsWith(".journal.jsonl")) linesOf(path, JournalLine);
    else if (name.endsWith(".tasks.jsonl")) linesOf(path, TaskLine);
    else if (name.endsWith(".log")) linesOf(path, Whatever);
    else {
      const text = readFileSync(path, "utf8");
      const schema = path.includes(".progress") ? Whatever : LoopState;
      if (name.endsWith(".md")) requireText(text);
      else if (isNew(path, text)) schema.parse(JSON.parse(text));
    }
  }

  return {
    read(folder) {
      const problems: string[] = [];
      const paths = new Set([...publicFiles(folder), ...seen]);
      for (const path of paths) {
        try {
          readOne(path);
          seen.add(path);
        } catch (error) {
          if (isMissing(error) && !seen.has(path)) continue;
          problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      return { files: paths.size, problems };
    },
  };
}

const ASIDE = /\.(rejected|conflict|damaged)(-|$)/;

/** Copies that the store made of files it did not understand, or did not expect. */
export function keptAside(folder: string): string[] {
  return allFiles(folder).filter((path) => ASIDE.test(basename(path)));
}

/** The documents, journals, task lists and progress documents in a folder of loops. */
function publicFiles(folder: string): string[] {
  return allFiles(folder).filter((path) => !ASIDE.test(basename(path)));
}

function allFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.endsWith(".progress")) return readdirSync(path).map((inner) => join(path, inner));
    return /\.jsonl?(\.|$)/.test(name) ? [path] : [];
  });
}

/** From a byte on to the end, as one reading of one file. */
function textFrom(path: string, position: number): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - position));
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, position));
  } finally {
    closeSync(file);
  }
}

function requireText(text: string): void {
  if (!text.endsWith("\n")) throw new Error("The document has no end.");
}
