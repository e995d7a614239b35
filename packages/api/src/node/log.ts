import pino, { type Logger } from "pino";
import type { RequestRecord } from "../app/request-record.ts";

/** Structured, one JSON document a line. */
export type Log = Pick<Logger, "debug" | "info" | "warn" | "error">;
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Names under which secrets travel: their values are never written, whoever logs them. */
const SECRET = ["token", "ticket", "authorization", "cookie", "password", "secret", "api_key"];

export function createLog(to: { write(line: string): unknown }, level: LogLevel): Log {
  const paths = SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const destination = { write: (line: string) => void to.write(line) };
  const options = { level, base: null, redact: paths, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, destination);
}

export const SILENT: Log = createLog({ write: () => undefined }, "silent");

/** What somebody chose can be in a path: only visible ASCII goes into the log, and not much of it. */
function visible(path: string): string {
  return encodeURI(path.slice(0, 256).toWellFormed());
}

/** Told by how it ended. Wrong tokens are warned of; the guard answers few of them a second, so the log stays small. */
export function logRequest(
  log: Log,
  project: string,
  { error, traceparent: _, ...record }: RequestRecord,
): void {
  const level = record.status >= 500 ? "error" : record.status === 401 ? "warn" : "info";
  const duration_ms = Math.round(record.duration_ms * 10) / 10;
  const line = { project, ...record, path: visible(record.path), duration_ms };
  log[level](error === undefined ? line : { ...line, err: error }, "request");
}
