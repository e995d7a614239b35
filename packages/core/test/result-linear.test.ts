/** @module-tag slow */
import { expect, test } from "vitest";
import { parseActionResult } from "../src/index.ts";

const grown = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length));
const BLOCK = "ACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: m\n";

/** Inputs that make a backtracking or rescanning parser slow, by size. */
const SHAPES: Record<string, (size: number) => string> = {
  stars: (n) => grown("*", n),
  "stars before a heading": (n) => `${grown("*", n)}ACTION_RESULT:`,
  spaces: (n) => grown(" ", n),
  "spaces after a field": (n) => `${BLOCK}- message: a${grown(" ", n)}b`,
  "empty lines in a message": (n) => `${BLOCK}${grown("\n", n)}end`,
  "CRLF lines": (n) => grown("a\r\n", n),
  "open braces": (n) => grown("{", n),
  "nested objects": (n) => grown('{"a":', n),
  "nested objects, closed": (n) => grown('{"a":', n * 0.8) + grown("}", n * 0.2),
  "nested objects and lists": (n) => grown('[{"a":', n),
  "a long object inside many": (n) => `${'{"a":'.repeat(190)}{${grown('"b":1,', n)}`,
  "quotes that change places": (n) => grown('{":', n),
  "quotes and braces": (n) => grown('{"', n),
  "backslashes in a string": (n) => `{"${grown("\\", n)}`,
  "quoted backslashes": (n) => grown('{"\\":', n),
  "one long string": (n) => `{"action":"${grown("{", n)}`,
  "one long number": (n) => `{"action":${grown("1", n)}`,
  "many broken objects": (n) => grown('{"action":"DEVELOP",}', n),
  "many results": (n) => grown('{"action":"DEVELOP","status":"success"}', n),
  "one object of many": (n) => `[${grown('{"action":"DEVELOP"},', n)}`,
  headings: (n) => grown("ACTION_RESULT:", n),
  "headings on lines": (n) => grown("ACTION_RESULT:\n", n),
  blocks: (n) => grown(BLOCK, n),
  "blocks with open updates": (n) => grown(`${BLOCK}- state_updates: {"a":\n`, n),
  "headings on one line": (n) => grown("ACTION_RESULT: - action: ", n),
  "headings and blanks on one line": (n) => `ACTION_RESULT: ${grown(" ", n)} - action: DEVELOP`,
  "blocks on one line": (n) => grown(BLOCK.replaceAll("\n", " "), n),
  "fields on one line": (n) => `ACTION_RESULT: - action: DEVELOP ${grown(" status: x", n)}`,
  "messages that open a quote": (n) => `ACTION_RESULT: - action: X ${grown(' - message: "a', n)}`,
  "updates that break off on one line": (n) =>
    `ACTION_RESULT: - action: X ${grown(' - state_updates: {"a": ', n)}`,
  "quotes and backslashes": (n) => `ACTION_RESULT: - action: X ${grown(' "\\"', n)}`,
  "lines without a mark": (n) => `ACTION_RESULT: - action: X\n${grown("a\n", n)}`,
  "files on one line": (n) => `${BLOCK}FILES_UPDATED: ${grown("- a.ts: b ", n)}`,
  "files that open a quote": (n) => `${BLOCK}FILES_UPDATED: ${grown('- "a.ts ', n)}`,
  "files without a colon": (n) => `${BLOCK}FILES_UPDATED: - ${grown("./", n)}`,
  "repeated next actions": (n) => BLOCK + grown("NEXT_ACTION_NEEDED: ____\n", n),
  "next action of underscores": (n) => `${BLOCK}NEXT_ACTION_NEEDED:\n${grown("_", n)}`,
  "many files": (n) => `${BLOCK}FILES_UPDATED:\n${grown("- `a`: b\n", n)}`,
  "one file of marks": (n) => `${BLOCK}FILES_UPDATED:\n- ${grown("**", n)}: b`,
  "dotted names": (n) => `${BLOCK}- state_updates: {"${grown("a.", n)}a":1}`,
  "many dotted names": (n) => {
    const names = Array.from({ length: n / 64 }, (_, i) => `"develop.${"t".repeat(40)}_${i}":1`);
    return `${BLOCK}- state_updates: {${names.join(",")}}`;
  },
};

const SIZES = [64 * 1024, 512 * 1024, 4 * 1024 * 1024];
/** A quadratic parser grows by the square of the factor; a linear one by the factor, give or take the noise. */
const SLACK = 5;
/** No size takes longer, in milliseconds: also a linear parser may read every character too often. */
const WORST = 6_000;
/** Milliseconds below which a measurement says nothing. */
const NOISE = 60;

/** The shortest of several runs in milliseconds, by the clock or by this process's own use of the processor. */
function fastest(text: string, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i += 1) {
    const from = performance.now();
    const used = process.cpuUsage();
    parseActionResult(text);
    const { user, system } = process.cpuUsage(used);
    best = Math.min(best, performance.now() - from, (user + system) / 1000);
  }
  return best;
}

test.each(Object.entries(SHAPES))(
  "time grows with the size: %s",
  { timeout: 60_000 },
  (_, shape) => {
    let before: { size: number; time: number } | undefined;
    for (const size of SIZES) {
      const text = shape(size);
      const growth = before ? text.length / before.size : 1;
      const limit = Math.min(WORST, Math.max(NOISE, before?.time ?? 400) * growth * SLACK);
      let time = fastest(text, size > 1e6 ? 1 : 3);
      // The machine may be busy with something else: look again before judging.
      if (time > limit) time = Math.min(time, fastest(text, 1));
      expect(time, `${text.length} characters in ${time} ms`).toBeLessThan(limit);
      before = { size: text.length, time };
    }
  },
);
