import { PROGRESS_FILES } from "@ccw-loop/core";
import { z } from "zod";
import { loopLogs } from "./activity.ts";
import { success } from "./answers.ts";
import { type Operation, operation } from "./operation.ts";

const topic = "Progress";
const base = "/api/loops/v2/:id/progress";

export const MARKDOWN = "text/markdown";
export const NDJSON = "application/x-ndjson";
export const JSON_TEXT = "application/json";

export const listProgress = operation({
  id: "listProgress",
  method: "get",
  path: base,
  topic,
  summary: "Names of the progress documents that there are",
  answer: { json: success({ data: z.array(z.enum(PROGRESS_FILES)) }) },
  example: { params: { id: "cart-total" } },
});

export const readProgress = operation({
  id: "readProgress",
  method: "get",
  path: `${base}/:document`,
  topic,
  summary: "One progress document",
  answer: { text: [MARKDOWN, NDJSON, JSON_TEXT] },
  example: { params: { id: "cart-total", document: "develop.md" } },
});

export const PROGRESS_OPERATIONS: readonly Operation[] = [listProgress, readProgress, loopLogs];
