import type { LineTable } from "./line-table.ts";

/** Reads one coverage format. Both verbs throw when the report is damaged: then nothing of it counts. */
export interface CoverageParser {
  write(chunk: Buffer): void;
  end(): void;
}

export type CoverageFormat = (table: LineTable) => CoverageParser;
