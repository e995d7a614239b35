import type { LoopError } from "@ccw-loop/core";
import { sanitizeJson } from "@ccw-loop/view";

/** How a command ends. */
interface Ending {
  /** Exit code; 0 when absent. */
  exit?: number;
  /** Nothing is awaited any more: a person asked twice. */
  exitNow?: true;
}

/** What a command has to say when it is done. */
export interface Answer extends Ending {
  /** The `data` of its JSON document. */
  data: Readonly<Record<string, unknown>>;
  /** The same for people; may be empty. A function where making it loads what `--json` does not need. */
  text: string | (() => Promise<string>);
}

/** The end of a command that wrote its own lines to stdout while it ran. */
export interface StreamedAnswer extends Ending {
  streamed: true;
}

/** The version of the documents that `--json` prints. */
const DOCUMENT_VERSION = 1;

/** The one JSON document of a command that succeeded, or that failed: then with the next step, null when there is none. */
export function documentOf(
  command: string | null,
  outcome: { data: Answer["data"] } | { error: LoopError; hint: string | null },
): string {
  const body = "data" in outcome ? { data: outcome.data } : { error: errorBody(outcome) };
  return `${sanitizeJson({ schema_version: DOCUMENT_VERSION, command, ...body }, 2)}\n`;
}

function errorBody({ error, hint }: { error: LoopError; hint: string | null }) {
  const { code, message, details } = error;
  return { code, message, hint, details };
}
