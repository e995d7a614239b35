import type { FileVersions } from "@ccw-loop/core";
import { missingIn } from "../code/diff.ts";
import type { Finding, Kind } from "../finding.ts";

/** An example in a documentation text that is run as a test. */
interface Example {
  /** What says whether it runs. */
  head: string;
  /** What it checks. */
  checks: string[];
  line: number;
}

/** Examples in documentation that are run as tests: always in Rust, in Python where `doctest` is used. */
export function inspectDocTests(
  { path, before, after }: FileVersions,
  doctest: boolean,
): Finding[] {
  if (typeof before !== "string") return [];
  const read = /\.rs$/.test(path)
    ? rustExamples
    : doctest && /\.(?:py|rst|txt|md)$/.test(path)
      ? pythonExamples
      : null;
  if (!read || after === undefined) return [];
  const old = read(before);
  const now = read(after ?? "");
  const finding = (
    kind: Kind,
    line: number,
    removed: string[],
    added: string[],
    message: string,
  ) => ({
    kind,
    path,
    line,
    removed,
    added,
    identity: [...removed, "", ...added].join("\n"),
    message,
  });
  const checks = (list: readonly Example[]) => list.flatMap((example) => example.checks);
  const gone = missingIn(checks(old), checks(now)).map((at) => checks(old)[at] ?? "");
  const off = now.filter(({ head, checks: own }) => {
    const twin = old.find((example) => example.checks.join("\n") === own.join("\n"));
    return OFF.test(head) && twin !== undefined && !OFF.test(twin.head);
  });
  return [
    ...(gone.length > 0
      ? [
          finding(
            "loosened",
            old[0]?.line ?? 1,
            gone,
            [],
            "An example that runs as a test was changed or removed.",
          ),
        ]
      : []),
    ...off.map(({ head, line }) =>
      finding("skipped", line, [], [head], "An example does not run as a test any more."),
    ),
  ];
}

const OFF = /\b(?:ignore\w*|no_run|compile_fail|text|should_panic|console|sh)\b|\+SKIP\b/;

function rustExamples(text: string): Example[] {
  const found: Example[] = [];
  let open: Example | null = null;
  text.split(/\r\n?|\n/).forEach((line, index) => {
    const doc = /^\s*\/\/[/!] ?(.*)$/.exec(line)?.[1]?.trim();
    if (doc === undefined) open = null;
    else if (!doc.startsWith("```")) {
      if (open && /\bassert\w*!|\.unwrap\(|\bpanic!/.test(doc)) open.checks.push(doc);
    } else if (open) open = null;
    else {
      open = { head: doc, checks: [], line: index + 1 };
      found.push(open);
    }
  });
  return found;
}

/** Each input with the output that is expected of it. */
function pythonExamples(text: string): Example[] {
  const found: Example[] = [];
  let open: Example | null = null;
  text.split(/\r\n?|\n/).forEach((line, index) => {
    const plain = line.trim();
    if (plain.startsWith(">>>")) {
      const input = plain.replace(/\s*#\s*doctest:.*$/, "");
      open = { head: plain, checks: [input], line: index + 1 };
      found.push(open);
    } else if (plain === "" || /^(?:"""|''')/.test(plain)) open = null;
    else if (open) open.checks.push(`${open.checks.at(-1)}\n${plain}`);
  });
  return found;
}
