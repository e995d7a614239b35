import { did, differs, exchange, NO_ROUTE, ok, refused, type Step } from "./exchange.ts";

const V2 = "/api/loops/v2";
const V1 = "/api/loops";
const NOT_FOUND = refused(404, "Loop not found");

const DELETING: Step[] = [
  exchange("delete: missing", `DELETE ${V2}/nope`, NOT_FOUND),
  exchange("delete: with tasks", `DELETE ${V2}/{B}`, did("Loop deleted")),
  exchange("delete: get afterwards", `GET ${V2}/{B}`, NOT_FOUND),
];

const UNKNOWN: Step[] = [
  exchange("route: unknown", `POST ${V2}/{A}/terminate`, NO_ROUTE, differs("no-route", 404)),
  exchange("route: trailing slash", `GET ${V2}/`, NO_ROUTE, differs("no-route", 404)),
  exchange("route: wrong method", `PATCH ${V2}/{A}`, NO_ROUTE, {
    body: { title: "q" },
    ...differs("no-route", 405),
  }),
];

const older = (name: string, request: string, answer: readonly [number, unknown], body?: unknown) =>
  exchange(`v1: ${name}`, request, answer, { body, ...differs("v1", 404, { code: "not_found" }) });

const OLDER: Step[] = [
  older("list", `GET ${V1}?path=/x`, ok([{ loop_id: "{A}" }], { total: 3 })),
  older("create", `POST ${V1}`, refused(400, "taskId is required"), {
    prompt: "Do it",
    tool: "gemini",
  }),
  older("get", `GET ${V1}/{A}`, ok({ loop_id: "{A}" })),
  older("stats", `GET ${V1}/stats`, ok({ total: 3, by_status: { created: 3 } })),
  older("delete", `DELETE ${V1}/{A}`, NO_ROUTE),
  older("pause", `POST ${V1}/{A}/pause`, did("Loop paused")),
  older("pause missing", `POST ${V1}/nope/pause`, refused(500, "Loop state not found: nope")),
  older("logs", `GET ${V1}/{A}/logs`, ok({ loop_id: "{A}", logs: [], total: 0 })),
  older("history", `GET ${V1}/{A}/history`, ok([], { total: 0 })),
  older("retry", `POST ${V1}/{A}/retry`, [500, { success: false, error: "…" }]),
  older("resume", `POST ${V1}/{A}/resume`, [500, { success: false, error: "…" }]),
  older("traversal", `GET ${V1}/..%2f..%2f..%2fetc%2fpasswd`, NOT_FOUND),
  older("start of any file", `POST ${V1}`, ok({ loopId: "loop-evil" }), { taskId: "../../evil" }),
];

export const ENDS: readonly Step[] = [...DELETING, ...UNKNOWN, ...OLDER];
