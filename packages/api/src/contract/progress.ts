import { ActionName, PROGRESS_FILES, TURN_USAGE } from "@ccw-loop/core";
import { z } from "zod";
import { Count, dataAnswer, exact, operations } from "./operation.ts";

const text = z.string();
const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.looseObject({ type: z.literal(type), ...shape });

const cost_usd = TURN_USAGE.cost_usd.unwrap().exactOptional();
const Used = z.looseObject({ ...TURN_USAGE, cost_usd });

const Quota = z.looseObject({
  used_percent: z.number().nullable(),
  resets_at: z.string().nullable(),
});

const TURN_EVENTS = [
  event("session.started", { session_id: text }),
  event("session.resumed", { session_id: text }),
  event("message.delta", { text }),
  event("message.completed", { text }),
  event("command.started", { command: text }),
  event("command.output", { text }),
  event("command.completed", { command: text, exit_code: z.int().nullable() }),
  event("files.changed", { paths: z.array(text) }),
  event("approval.answered", { request: text, decision: text }),
  event("context.compacted", {}),
  event("turn.retried", { reason: text, attempt: z.int() }),
  event("limits.updated", { limits: Quota }),
  event("usage.updated", { usage: Used }),
  event("warning.raised", { message: text }),
] as const;

/** One record of agent.log. Text is as the agent sent it: strip it before a screen shows it. */
export const Activity = z
  .looseObject({
    at: text,
    action: ActionName,
    event: z.discriminatedUnion("type", [
      ...TURN_EVENTS,
      event("verify.output", { text }),
      event("verify.progress", {
        command: text,
        done: z.int(),
        failed: z.int(),
        running: z.array(text),
        elapsed_ms: z.number(),
        total: z.int().exactOptional(),
      }),
      event("prompt.sent", { text }),
    ]),
    seq: z
      .int()
      .min(0)
      .exactOptional()
      .describe("Its place in agent.log: it grows, in steps that mean nothing."),
    gap: z
      .literal(true)
      .exactOptional()
      .describe("Records before this one that were asked for are gone."),
  })
  .meta({ id: "Activity" });

const base = "/api/loops/v2/:id/progress";

export const MARKDOWN = "text/markdown";
export const NDJSON = "application/x-ndjson";
export const JSON_TEXT = "application/json";

export const PROGRESS = operations("Progress", {
  listProgress: {
    method: "get",
    path: base,
    summary: "Names of the progress documents that there are",
    answer: dataAnswer(z.array(z.enum(PROGRESS_FILES))),
    example: { params: { id: "cart-total" } },
  },
  readProgress: {
    method: "get",
    path: `${base}/:document`,
    summary: "One progress document",
    answer: { text: [MARKDOWN, NDJSON, JSON_TEXT] },
    example: { params: { id: "cart-total", document: "develop.md" } },
  },
  loopLogs: {
    method: "get",
    path: "/api/loops/v2/:id/logs",
    summary: "What the agent and the tests did, from the beginning or behind a record",
    query: exact({
      after: Count.describe("Only what comes behind the record with this `seq`."),
      follow: z
        .stringbool({ error: "follow must be true or false" })
        .default(false)
        .describe(
          "`true`: go on with what happens from now on; an empty line every 15 s while nothing does.",
        ),
    }),
    answer: { ndjson: Activity },
    example: { params: { id: "cart-total" } },
  },
});
