import type { Collector } from "./collector.ts";

/** Reads one report, chunk by chunk, into a collector; memory does not grow with the report. */
export interface ReportParser {
  write(chunk: Buffer): void;
  /** Ends the report. Null when it was complete, else one sentence without a full stop: what is wrong. */
  end(): string | null;
}

/** Finds its report between other output. */
export interface OutputParser extends ReportParser {
  /** Whether anything of a report was there. */
  seen(): boolean;
}

export type ParserFactory = (collector: Collector) => ReportParser;
