import { createHash } from "node:crypto";
import type { Objection } from "@ccw-loop/core";
import { missingIn } from "./code/diff.ts";

/** The words that an objection's `kind` may be. */
export type Kind =
  | "deleted"
  | "skipped"
  | "focused"
  | "emptied"
  | "loosened"
  | "mocked"
  | "excluded"
  | "config"
  | "threshold"
  | "script"
  | "runner"
  | "test_detection"
  | "instrumentation";

/** Something that weakens the proof, before it is put into words that are kept. */
export interface Finding {
  kind: Kind;
  path: string;
  /** 1-based; in the new file, or in the old one for what is gone. Null for the file as a whole. */
  line: number | null;
  /** Lines as they stand in the file. */
  removed: readonly string[];
  added: readonly string[];
  /** What tells this change from others: independent of white space and of the place in the file. */
  identity: string;
  message: string;
}

const TEXT_KEPT = 300;
const LINE_KEPT = 140;

export function objectionOf(finding: Finding): Objection {
  const { kind, path, line, message } = finding;
  const digest = createHash("sha256").update(finding.identity).digest("hex").slice(0, 12);
  return {
    key: `${kind}:${path}:${digest}`,
    kind,
    path,
    line,
    text: textOf(finding),
    message,
    allowed: false,
  };
}

/** Only the lines that differ, each shortened. */
function textOf({ removed, added }: Finding): string {
  const before = removed.map(short).filter(Boolean);
  const after = added.map(short).filter(Boolean);
  const gone = missingIn(before, after).map((at) => `- ${before[at]}`);
  const come = missingIn(after, before).map((at) => `+ ${after[at]}`);
  // Both sides are to be seen, whatever there is of the first.
  const half = come.length === 0 ? TEXT_KEPT : TEXT_KEPT / 2;
  const first = cut(gone, half);
  return cut([...first, ...cut(come, TEXT_KEPT - first.join("\n").length - 1)], TEXT_KEPT).join(
    "\n",
  );
}

function short(line: string): string {
  const plain = line.replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return plain.length > LINE_KEPT ? `${plain.slice(0, LINE_KEPT - 1)}…` : plain;
}

function cut(lines: readonly string[], length: number): string[] {
  const kept: string[] = [];
  let left = length;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return kept;
}

/** A name as a message quotes it. */
export function quoted(name: string): string {
  const plain = name.replace(/^(["'`])([\s\S]*)\1$/, "$2").replaceAll(/[\s\p{C}]+/gu, " ");
  return `"${plain.length > 80 ? `${plain.slice(0, 79)}…` : plain}"`;
}
