import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ActionName, ActionResult, parseActionResult } from "../src/index.ts";
import { formatActionResult } from "./format-result.ts";

/** Text that looks like the protocol's own marks, joined with anything. */
const mark = fc.constantFrom(
  "ACTION_RESULT:",
  "**ACTION_RESULT:**",
  "FILES_UPDATED:",
  "NEXT_ACTION_NEEDED: DEBUG",
  "- action: DEBUG",
  "- status: failed",
  "- message: hi",
  '- state_updates: {"a": 1}',
  "{",
  "}",
  '"',
  '{"action":"INIT","status":"failed"}',
  "```",
  "```json",
  "> ",
  "    ",
  "|",
  "\\",
  ": ",
  "\r\n",
  "\u2028",
  "{message}",
  "...",
  "none",
);
const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  mark,
  fc.lorem({ maxCount: 3 }),
);
const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(""));
const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\n"));

/** Of every file in a result; a reader leaves it out. */
const descriptions = text.map((said) => said.trim());

const json = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" });
// Node 24 reads some escaped keys as others once a key with a backslash was parsed (nodejs/node#63785).
const key = fc
  .oneof(fc.string({ unit: "binary" }), mark)
  .filter((k) => !/\w\.\w|__proto__|\\/.test(k));
const updates = fc.dictionary(key, json, { maxKeys: 4, noNullPrototype: true });

const results = fc
  .record({
    action: fc.constantFrom(...ActionName.options, "UNKNOWN" as const),
    status: fc.constantFrom("success", "failed", "needs_input"),
    message: text,
    state_updates: updates,
    files_updated: fc.array(
      fc.oneof(line, text).filter((path) => path.trim() !== ""),
      { maxLength: 4 },
    ),
  })
  // JSON has no negative zero.
  .map((result) => ActionResult.parse(JSON.parse(JSON.stringify(result))));

/** Prose with braces, fences, quotes and headings in it, but no whole result. */
const prose = fc
  .array(
    fc.oneof(
      fc.lorem({ maxCount: 8 }),
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.constantFrom(
        "```",
        "```json",
        '{"a": {"b":',
        "{",
        "}",
        '"',
        '{"action":',
        "}}}]]",
        "- list",
        "# heading",
        "ACTION_RESULT",
        "ACTION_RESULT:",
        "**ACTION_RESULT:**\n- action: {ACTION_NAME}\n- status: success | failed",
        "- status: success",
        "FILES_UPDATED:",
        "- a: b",
        "NEXT_ACTION_NEEDED: {ACTION_NAME} | COMPLETED",
        '{"state": {"action": "waiting", "message": 1}}',
      ),
    ),
    { maxLength: 6 },
  )
  .map((lines) => lines.join("\n"))
  .filter((lines) => !parseActionResult(lines).ok);

describe.each(["text", "json"] as const)("a result as %s", (form) => {
  test("survives formatting and parsing, whatever it says", () => {
    fc.assert(
      fc.property(results, descriptions, (result, description) => {
        const answer = formatActionResult(result, form, description);
        expect(parseActionResult(answer)).toEqual({ ok: true, result });
      }),
      { numRuns: 600 },
    );
  });

  test("survives any prose around it", () => {
    fc.assert(
      fc.property(prose, results, descriptions, prose, (before, result, description, after) => {
        const written = formatActionResult(result, form, description);
        const answer = `${before}\n${written}\n${after}`;
        expect(parseActionResult(answer)).toEqual({ ok: true, result });
      }),
      { numRuns: 600 },
    );
  });
});

/** Each run of blanks and line ends: as it is, or as one blank. */
const collapsed = (text: string, keep: readonly boolean[]) => {
  let run = 0;
  return text.replaceAll(/[ \t\r\n]+/g, (blank) => (keep[run++ % keep.length] ? blank : " "));
};
const folded = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" ? part.replaceAll(/\s+/g, " ").trim() : part,
  ).replaceAll(/ +/g, " ");

/** How agents write a result. */
const STYLES: Record<string, (result: ActionResult) => string> = {
  "as it is documented": (result) => formatActionResult(result),
  "in bold": restyled(/^(- )?([A-Za-z_]+):/gm, "$1**$2:**"),
  "in bold with the colon outside": restyled(/^(- )?([A-Za-z_]+):/gm, "$1**$2**:"),
  "with headings": restyled(/^([A-Z_]+):/gm, "## $1:"),
  "with stars": restyled(/^- (?=[a-z_]+:|")/gm, "* "),
  "without list markers": restyled(/^- (?=[a-z_]+:)/gm, ""),
  "in a fence": (result) => `\`\`\`\n${formatActionResult(result)}\`\`\`\n`,
  "as a JSON object": (result) => formatActionResult(result, "json"),
};

function restyled(pattern: RegExp, by: string) {
  return (result: ActionResult) => formatActionResult(result).replaceAll(pattern, by);
}

describe.each(Object.entries(STYLES))("a result %s", (_, styled) => {
  test("is read the same, whichever of its line ends are lost", () => {
    const keeps = fc.oneof(fc.constant([false]), fc.array(fc.boolean(), { minLength: 1 }));
    fc.assert(
      fc.property(prose, results, prose, keeps, (before, result, after, keep) => {
        // A JSON string that begins before the result holds it, for whoever reads it on one line.
        fc.pre(!/[:{,[]\s*"[^"]*$/.test(before));
        const text = styled(result);
        fc.pre(folded(parseActionResult(text)) === folded({ ok: true, result }));
        const parsed = parseActionResult(collapsed(`${before}\n${text}\n${after}`, keep));
        expect(folded(parsed)).toBe(folded({ ok: true, result }));
      }),
      { numRuns: 250 },
    );
  });
});

test("a plain result looks like the documented block", () => {
  const result = ActionResult.parse({
    action: "DEVELOP",
    status: "success",
    message: "Done.\nBoth files.",
    state_updates: { develop: { completed: 1 } },
    files_updated: ["src/a.ts"],
  });
  expect(formatActionResult(result)).toBe(`ACTION_RESULT:
- action: DEVELOP
- status: success
- message: Done.
  Both files.
- state_updates: {
  "develop": {
    "completed": 1
  }
}

FILES_UPDATED:
- src/a.ts: new

NEXT_ACTION_NEEDED: NONE
`);
});

test("parsing is stable: what was read is written and read the same", () => {
  const pieces = fc.array(fc.oneof(mark, word, fc.constant("\n")), { maxLength: 40 });
  fc.assert(
    fc.property(pieces, (words) => {
      const parsed = parseActionResult(
        `ACTION_RESULT:\n- action: DEBUG\n- status: failed\n${words.join("")}`,
      );
      if (!parsed.ok) return;
      expect(ActionResult.parse(parsed.result)).toEqual(parsed.result);
      expect(parseActionResult(formatActionResult(parsed.result))).toEqual(parsed);
    }),
    { numRuns: 600 },
  );
});
