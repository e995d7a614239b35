import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Alone } from "./alone.ts";
import type { Recipe } from "./recipes.ts";
import type { SuiteResult } from "./suite.ts";

/** What was seen of one agent, and when. */
export interface Seen {
  /** As `2026-01-31`. */
  date: string;
  alone: Alone;
  suite: SuiteResult;
}

/** By the agent's name; what was not tried this time is as it was before. */
export type AllSeen = Partial<Record<Recipe["name"], Seen>>;

const FILE = join(import.meta.dirname, "../seen.json");

export function readSeen(): AllSeen {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

/** Lists of numbers are on one line, as the formatter has them. */
export function writeSeen(all: AllSeen): void {
  const text = JSON.stringify(all, null, 2).replaceAll(/\[[\d,\s]+\]/g, (list) =>
    list.replaceAll(/\s+/g, "").replaceAll(",", ", "),
  );
  writeFileSync(FILE, `${text}\n`);
}
