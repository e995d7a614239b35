/**
 * Writes the JSON Schemas of the files that other programs read and write:
 * `node packages/core/scripts/generate-schema.ts`. They are generated from the zod schemas, never edited.
 */
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { ActionResult, LoopEvent, LoopState, RecordedEvent, TaskLine } from "../src/index.ts";

const SCHEMAS: Readonly<Record<string, { schema: z.ZodType; title: string }>> = {
  "loop-state.json": { schema: LoopState, title: "CCW Loop: state file {loopId}.json" },
  "task-line.json": { schema: TaskLine, title: "CCW Loop: one line of {loopId}.tasks.jsonl" },
  "loop-event.json": { schema: LoopEvent, title: "CCW Loop: one event" },
  "journal-line.json": {
    schema: RecordedEvent,
    title: "CCW Loop: one line of {loopId}.journal.jsonl",
  },
  "action-result.json": { schema: ActionResult, title: "CCW Loop: ACTION_RESULT of an agent" },
};

/** Every schema file by name, as text. What a writer may leave out is optional in them. */
export function schemaFiles(): Record<string, string> {
  const files = Object.entries(SCHEMAS).map(([name, { schema, title }]) => {
    const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input" });
    return [name, `${print({ $schema, ...rest, title })}\n`];
  });
  return Object.fromEntries(files);
}

/** JSON as the repository's formatter writes it: a short list of plain values stays on one line. */
function print(value: unknown, indent = "", before = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const flat = value.every((item) => typeof item !== "object" || item === null);
    const line = `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
    if (flat && before + line.length < 100) return line;
    const items = value.map((item) => `${inner}${print(item, inner, inner.length)}`);
    return `[\n${items.join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value).map(([key, item]) => {
    const start = `${inner}${JSON.stringify(key)}: `;
    return start + print(item, inner, start.length);
  });
  return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n${indent}}`;
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(schemaFiles())) {
    writeFileSync(new URL(`../schema/${name}`, import.meta.url), text);
  }
}
