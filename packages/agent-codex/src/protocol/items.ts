import { z } from "zod";

const AgentMessage = z.object({
  type: z.literal("agentMessage"),
  id: z.string(),
  text: z.string(),
  phase: z.string().nullish(),
});
export type AgentMessage = z.infer<typeof AgentMessage>;

const CommandExecution = z.object({
  type: z.literal("commandExecution"),
  id: z.string(),
  command: z.string(),
  status: z.string(),
  aggregatedOutput: z.string().nullish(),
  exitCode: z.number().nullish(),
});

const FileChange = z.object({
  type: z.literal("fileChange"),
  id: z.string(),
  status: z.string(),
  changes: z.array(
    z.looseObject({
      path: z.string(),
      kind: z.looseObject({ move_path: z.string().nullish() }).optional(),
    }),
  ),
});

/** Everything else that a turn consists of; `kind` is Codex's name for it. */
const OtherItem = z
  .object({ type: z.string(), id: z.string() })
  .transform(({ type, id }) => ({ type: "other" as const, id, kind: type }));

/** One piece of a turn: a message, a command, an edit, … */
export const Item = z.union([AgentMessage, CommandExecution, FileChange, OtherItem]);
export type Item = z.infer<typeof Item>;

/** Items besides commands and edits that may take long without a word. */
const SLOW_KINDS: readonly string[] = [
  "mcpToolCall",
  "dynamicToolCall",
  "collabAgentToolCall",
  "webSearch",
  "imageGeneration",
  "sleep",
];

/** True while an item stands for work outside of the model, so that the model's silence means nothing. */
export function isTool(item: Item): boolean {
  if (item.type === "other") return SLOW_KINDS.includes(item.kind);
  return item.type === "commandExecution" || item.type === "fileChange";
}
