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

/** What Codex confines commands by: `type`, and the fields that belong to it. */
export const SandboxPolicy = z.looseObject({ type: z.string() });
export type SandboxPolicy = z.infer<typeof SandboxPolicy>;

/** The strictest in which work is possible: the project may be written to and nothing else, no network. */
export const CONFINED: SandboxPolicy = {
  type: "workspaceWrite",
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: true,
  excludeSlashTmp: true,
};

/** Why a turn failed, or what Codex retries. `codexErrorInfo` is a word or an object with one key. */
export const TurnError = z.object({
  message: z.string(),
  codexErrorInfo: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  additionalDetails: z.string().nullish(),
});
export type TurnError = z.infer<typeof TurnError>;

const EndedTurn = z.object({
  id: z.string(),
  status: z.string(),
  items: z.array(Item).default([]),
  error: TurnError.nullish(),
});
export type EndedTurn = z.infer<typeof EndedTurn>;

const Totals = z.object({
  totalTokens: z.number(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
});
export type Totals = z.infer<typeof Totals>;

const Window = z.object({ usedPercent: z.number(), resetsAt: z.number().nullish() });

/** A sparse update: what is null was not told this time. `resetsAt` in seconds since 1970. */
export const RateLimitUpdate = z.object({
  limitId: z.string().nullish(),
  primary: Window.nullish(),
  secondary: Window.nullish(),
});
export type RateLimitUpdate = z.infer<typeof RateLimitUpdate>;

const OfTurn = z.object({ threadId: z.string(), turnId: z.string() });
const OfItem = OfTurn.extend({ item: Item });
const Delta = OfTurn.extend({ itemId: z.string(), delta: z.string() });

function notification<M extends string, P extends z.ZodType>(method: M, params: P) {
  return z.object({ method: z.literal(method), params });
}

/** The notifications that we read. Codex has many more; those only show that it is alive. */
const Known = z.discriminatedUnion("method", [
  notification(
    "turn/started",
    z.object({ threadId: z.string(), turn: z.object({ id: z.string() }) }),
  ),
  notification("turn/completed", z.object({ threadId: z.string(), turn: EndedTurn })),
  notification("item/started", OfItem),
  notification("item/completed", OfItem),
  notification("item/agentMessage/delta", Delta),
  notification("item/commandExecution/outputDelta", Delta),
  notification(
    "thread/tokenUsage/updated",
    OfTurn.extend({ tokenUsage: z.object({ total: Totals, last: Totals }) }),
  ),
  notification("account/rateLimits/updated", z.object({ rateLimits: RateLimitUpdate })),
  notification("error", OfTurn.extend({ error: TurnError, willRetry: z.boolean() })),
  notification("warning", z.object({ message: z.string() })),
  notification(
    "command/exec/outputDelta",
    z.object({ processId: z.string(), deltaBase64: z.string() }),
  ),
  notification("configWarning", z.object({ summary: z.string(), details: z.string().nullish() })),
]);

const METHODS: ReadonlySet<string> = new Set(
  Known.options.map((option) => option.shape.method.value),
);

/** One notification; `unknown` for a method that we do not read. */
export type Notification =
  | z.infer<typeof Known>
  | { method: "unknown"; original: string }
  | { method: "unreadable"; original: string; problem: string };

/** Reads a notification. Never throws: another Codex may say it in another shape. */
export function readNotification(original: string, params: unknown): Notification {
  if (!METHODS.has(original)) return { method: "unknown", original };
  const parsed = Known.safeParse({ method: original, params });
  if (parsed.success) return parsed.data;
  return { method: "unreadable", original, problem: z.prettifyError(parsed.error) };
}

/** Answers to our requests; the fields that we read. */
export const EmptyResult = z.looseObject({});

export const Account = z.object({
  account: z.looseObject({ type: z.string() }).nullish(),
  requiresOpenaiAuth: z.boolean().default(false),
});

/** The user's settings for Codex's mode `workspace-write`. */
export const WorkspaceWrite = z.object({
  network_access: z.boolean().default(false),
  writable_roots: z.array(z.string()).default([]),
  exclude_tmpdir_env_var: z.boolean().default(false),
  exclude_slash_tmp: z.boolean().default(false),
});
export type WorkspaceWrite = z.infer<typeof WorkspaceWrite>;

/** Codex's own, where the user set nothing. */
export const DEFAULT_WORKSPACE: WorkspaceWrite = WorkspaceWrite.parse({});

/** What cannot be read counts as the strictest. */
const STRICTEST = { ...DEFAULT_WORKSPACE, exclude_tmpdir_env_var: true, exclude_slash_tmp: true };

export const Config = z.object({
  config: z.object({ sandbox_workspace_write: WorkspaceWrite.nullish().catch(STRICTEST) }),
});

/** `sandbox` is that of the thread's turns; a version that does not tell it gets the strictest. */
export const ThreadOpened = z.object({
  thread: z.object({ id: z.string() }),
  sandbox: SandboxPolicy.catch(CONFINED),
  activePermissionProfile: z.object({ id: z.string() }).nullish().catch(null),
});
export type ThreadOpened = z.infer<typeof ThreadOpened>;

export const TurnStarted = z.object({ turn: z.object({ id: z.string() }) });

export const CommandRun = z.object({
  exitCode: z.number(),
  stdout: z.string().default(""),
  stderr: z.string().default(""),
});
export type CommandRun = z.infer<typeof CommandRun>;
