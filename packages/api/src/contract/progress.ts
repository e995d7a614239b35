import { Activity, PROGRESS_FILES } from "@ccw-loop/core";
import { z } from "zod";
import { Count, dataAnswer, exact, operations } from "./operation.ts";

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
