import { z } from "zod";
import { Item } from "./items.ts";

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
