import { Activity, LoopSummary, RecordedEvent, Timestamp } from "@ccw-loop/core";
import { z } from "zod";
import { Count, dataAnswer, exact, operations } from "./operation.ts";

const KINDS = "Kinds are recorded, activity, or both with a comma between them.";
const Kinds = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(["recorded", "activity"], KINDS)));

const query = {
  kinds: Kinds.optional().describe("`recorded`, `activity`, or both with a comma."),
  format: z.literal("compat").optional().describe("The frames of the older dashboard."),
  last_event_id: z
    .string()
    .optional()
    .describe("As the header Last-Event-ID, for clients that cannot send headers."),
  ticket: z
    .string()
    .optional()
    .describe("Of `POST /api/tickets`, instead of the token, for the same clients."),
};

const LOOPS_KINDS = "Kinds are recorded, activity and summary, with commas between them.";
const LoopsKinds = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(["recorded", "activity", "summary"], LOOPS_KINDS)));

const LiveEvent = z
  .discriminatedUnion("kind", [
    z.looseObject({
      kind: z.literal("recorded"),
      id: z.string(),
      recorded: RecordedEvent,
      index: z.int().min(0).describe("The number of the fact within its commit."),
    }),
    z.looseObject({ kind: z.literal("activity"), id: z.string(), activity: Activity }),
  ])
  .meta({ id: "LiveEvent" });

/** A loop of which something was recorded, as it is then. */
const LoopMessage = z
  .union([
    LiveEvent,
    z.looseObject({ kind: z.literal("summary"), id: z.string(), summary: LoopSummary }),
  ])
  .meta({ id: "LoopsEvent" });

const MESSAGES =
  "Server-sent events: of one loop facts and activity unless `kinds` says otherwise, of all loops facts alone. Each message has an `id`; a client that sends the last one as `Last-Event-ID` goes on behind it, ";
const OF_ONE = `${MESSAGES}without gap or repeat.`;
const OF_ALL = `${MESSAGES}without gap. \`resync\` says that the server does not know that place any more, as after its restart: then facts since \`since\` come again, and each names its loop, revision and index, so that a client drops what it has. Without \`since\`, read the loops anew.`;

export const LIVE = operations("Live", {
  projectEvents: {
    method: "get",
    path: "/api/events",
    summary: "What happens to all loops",
    description: OF_ALL,
    query: exact({
      ...query,
      kinds: LoopsKinds.optional().describe(
        "`recorded`, `activity` and `summary` (the loop in short, after each change), with commas.",
      ),
    }),
    answer: { events: LoopMessage },
    example: {},
  },
  loopEvents: {
    method: "get",
    path: "/api/loops/v2/:id/events",
    summary: "What happens to one loop",
    description: OF_ONE,
    query: exact({
      ...query,
      after: Count.describe("Facts from behind this revision on."),
      seq: Count.describe("Activity from behind the record with this `seq` on."),
      since: z
        .string()
        .pipe(Timestamp)
        .optional()
        .describe("Without `seq`: activity from this time on (RFC 3339)."),
    }),
    answer: { events: LiveEvent },
    example: { params: { id: "cart-total" }, query: { after: "0" } },
  },
  createTicket: {
    method: "post",
    path: "/api/tickets",
    keyless: true,
    summary:
      "A ticket that opens one stream within 30 seconds, for clients that cannot send headers",
    answer: dataAnswer(z.object({ ticket: z.string(), expires_at: z.string() })),
    example: {},
  },
  webSocket: {
    method: "get",
    path: "/ws",
    summary: "The frames of the older dashboard, as a WebSocket",
    description: "As `GET /api/events?format=compat`. What a client says is not read.",
    query: exact({ ticket: query.ticket }),
    answer: { frames: z.looseObject({ type: z.string(), loop_id: z.string() }) },
    served: true,
    example: {},
  },
});
