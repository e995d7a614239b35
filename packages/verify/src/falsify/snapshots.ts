import { posix } from "node:path";
import { isTitleOf } from "../test-text.ts";
import type { Falsified } from "./falsify.ts";

const KEPT = /^exports\[`(.*?) \d+`\] = `/gm;

/** Where jest and vitest keep what the tests of a file are compared with. */
export function snapshotsOf(path: string): string {
  return posix.join(posix.dirname(path), "__snapshots__", `${posix.basename(path)}.snap`);
}

/** Snapshots that no test of these names can match. */
export function falsifySnapshots(text: string, named: readonly string[]): Falsified {
  const titles = [...text.matchAll(KEPT)].flatMap(([, title = ""]) =>
    named.filter((name) => isTitleOf(name, title)),
  );
  return {
    titles: [...new Set(titles)],
    ends: new Set(),
    text: () => text.replaceAll(KEPT, "$&k"),
  };
}
