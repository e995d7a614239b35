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

export function writeSeen(all: AllSeen): void {
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}
