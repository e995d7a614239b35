import {
  type ListPosition,
  LoopError,
  LoopState,
  LoopStatus,
  LoopSummary,
  MAX_LIMITS,
  Timestamp,
} from "@ccw-loop/core";
import { z } from "zod";
import { Changes } from "./commands.ts";
import { DoneAnswer, exact, NewId, ONE_LOOP, operations, success } from "./operation.ts";

const base = "/api/loops/v2";
const STATUS_TEXT = `status must be one of: ${LoopStatus.options.join(", ")}, all`;
const LIMIT_TEXT = "limit must be a whole number from 1 to 500";
const OFFSET_TEXT = "offset must be a whole number from 0 on";

const PAGE = {
  total: z.int().describe("How many loops fit the filters."),
  limit: z.int(),
  offset: z.int(),
  hasMore: z.boolean(),
  next_cursor: z.string().nullable().describe("For `cursor` of the next request; null at the end."),
  damaged: z
    .array(z.object({ id: z.string(), reason: z.string() }))
    .describe("Loops that cannot be read; `POST …/recover` helps."),
};

const PageQuery = exact({
  status: z.enum([...LoopStatus.options, "all"], STATUS_TEXT).default("all"),
  tag: z.string().optional(),
  text: z.string().optional().describe("In id, title or description, in any case."),
  limit: z.coerce
    .number(LIMIT_TEXT)
    .int(LIMIT_TEXT)
    .min(1, LIMIT_TEXT)
    .max(500, LIMIT_TEXT)
    .default(50),
  offset: z.coerce.number(OFFSET_TEXT).int(OFFSET_TEXT).min(0, OFFSET_TEXT).default(0),
  cursor: z.string().optional().describe("From `next_cursor`: stable while loops change."),
});
export type PageQuery = z.output<typeof PageQuery>;

const LoopList = success({
  data: z.array(LoopState),
  ...PAGE,
  undriven: z
    .array(z.object({ id: z.string(), since: z.string() }))
    .describe("Those of these loops that nobody drives although they are to be driven."),
  timestamp: z.string(),
}).meta({ id: "LoopList" });

const TITLE = "title is required and must be non-empty";
const MAX = "max_iterations must be a positive number";
const TAGS = "tags must be an array of strings";

/** Fields that an operator chooses, with upstream's texts. */
const CHOSEN = {
  description: z.string("description must be a string").trim(),
  max_iterations: z
    .number(MAX)
    .positive(MAX)
    .max(MAX_LIMITS.max_iterations, `max_iterations must be at most ${MAX_LIMITS.max_iterations}`),
  tags: z.array(z.string(TAGS), TAGS),
  priority: z.enum(["low", "medium", "high"], "priority must be one of: low, medium, high"),
  notes: z.string("notes must be a string").trim(),
};
const { limits, settings } = Changes.shape;

const NewLoopBody = exact(
  {
    title: z.string(TITLE).trim().min(1, TITLE).optional(),
    ...z.object(CHOSEN).partial().shape,
    description: CHOSEN.description.default(""),
    id: NewId.optional().describe("Instead of a minted one."),
    limits,
    settings,
    worktree: z.boolean().optional().describe("Works in a git worktree of its own."),
  },
  TITLE,
)
  .refine(({ title, description }) => title !== undefined || description !== "", TITLE)
  .meta({ id: "NewLoop", description: "Needs a title, or else a description." });

const EDIT_TITLE = "title must be a non-empty string";
const LoopChanges = exact({
  title: z.string(EDIT_TITLE).trim().min(1, EDIT_TITLE),
  ...CHOSEN,
  limits: limits.unwrap(),
  settings: settings.unwrap(),
})
  .partial()
  .meta({ id: "LoopChanges" });

export const LOOPS = operations("Loops", {
  listLoops: {
    method: "get",
    path: base,
    summary: "List loops, the newest change first",
    query: PageQuery,
    answer: { json: LoopList },
    example: { query: { status: "completed", limit: "10" } },
  },
  listSummaries: {
    method: "get",
    path: "/api/summaries",
    summary: "List loops in short, the newest change first",
    description:
      "For screens of very many loops; `GET /api/events?kinds=summary` tells what becomes of them.",
    query: PageQuery,
    answer: {
      json: success({ data: z.array(LoopSummary), ...PAGE }).meta({ id: "SummaryList" }),
    },
    example: { query: { limit: "100" } },
  },
  createLoop: {
    method: "post",
    path: base,
    failures: [503],
    summary: "Create a loop",
    description:
      "With an `id` of its own, an Idempotency-Key is known again after a restart of the server by that id: the same key with another `id` makes another loop then.",
    body: NewLoopBody,
    creates: true,
    ...ONE_LOOP,
    example: {
      body: { title: "Fix the cart", description: "The total is wrong.", max_iterations: 5 },
    },
  },
  getLoop: {
    method: "get",
    path: `${base}/:id`,
    summary: "One loop: its whole state",
    ...ONE_LOOP,
    example: { params: { id: "cart-total" } },
  },
  updateLoop: {
    method: "put",
    path: `${base}/:id`,
    failures: [503],
    summary: "Change what an operator chooses about a loop",
    body: LoopChanges,
    ...ONE_LOOP,
    example: { params: { id: "fresh-start" }, body: { title: "New title", tags: ["shop"] } },
  },
  deleteLoop: {
    method: "delete",
    path: `${base}/:id`,
    summary: "Delete a loop and everything that belongs to it",
    answer: { json: DoneAnswer },
    texts: { invalid_transition: "Cannot delete running loop. Stop it first." },
    example: { params: { id: "lunch-break" } },
  },
});

const Place = z.tuple([Timestamp, z.string()]);

/** A loop's place in the list as clients carry it: they are not to read it. */
export function writeCursor({ updated_at, loop_id }: ListPosition): string {
  return btoa(JSON.stringify([updated_at, loop_id]))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

/** Throws `invalid_input` for a text that `writeCursor` did not make. */
export function readCursor(cursor: string): ListPosition {
  try {
    const text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const [updated_at, loop_id] = Place.parse(JSON.parse(text));
    return { updated_at, loop_id };
  } catch (error) {
    throw new LoopError(
      "invalid_input",
      "This cursor is not one of ours. Begin again without it, and use `next_cursor` of each answer.",
      { cause: error },
    );
  }
}
