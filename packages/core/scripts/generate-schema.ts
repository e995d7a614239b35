/**
 * Writes the JSON Schemas of the files that other programs read and write into `packages/core/schema`: a step of
 * this package's build, which publishes them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
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
    return [name, `${JSON.stringify({ $schema, ...rest, title }, null, 2)}\n`];
  });
  return Object.fromEntries(files);
}

if (import.meta.main) {
  const folder = new URL("../schema/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(schemaFiles())) {
    writeFileSync(new URL(name, folder), text);
  }
}
