import "../../../../scripts/jsx.mjs";
import { tmpdir } from "node:os";
import { openTui, type TuiOptions } from "../../src/index.ts";

/** The interface in the terminal of this process, for a program of a test or a benchmark; nothing but its end ends it. */
export function openHere({ service, place }: Pick<TuiOptions, "service" | "place">) {
  return openTui({
    service,
    place,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: tmpdir(),
    plain: false,
    color: true,
    examine: async () => [],
    signal: new AbortController().signal,
    again: new Promise(() => undefined),
  });
}
