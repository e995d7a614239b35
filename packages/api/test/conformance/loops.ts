import { differs, exchange, NO_ROUTE, ok, otherStatus, refused, type Step } from "./exchange.ts";

const V2 = "/api/loops/v2";
const TIMES = { created_at: "{time}", updated_at: "{time}" };

const loop = (id: string, fields: object) => ({
  loop_id: `{${id}}`,
  description: "",
  max_iterations: 10,
  status: "created",
  current_iteration: 0,
  ...TIMES,
  ...fields,
});
const A = loop("A", { title: "Hello loop" });
const B = loop("B", { title: "Second", description: "desc", max_iterations: 3 });
const C = loop("C", { title: "frac", max_iterations: 1.5 });
const D = loop("D", { title: "big", max_iterations: 1_000_000 });

const page = (data: unknown[], more: object = {}) =>
  ok(data, { total: 4, limit: 50, offset: 0, hasMore: false, timestamp: "{time}", ...more });

const TITLE = refused(400, "title is required and must be non-empty");
const DESCRIPTION = refused(400, "description must be a string");
const MOST = refused(400, "max_iterations must be a positive number");
const NOT_FOUND = refused(404, "Loop not found");

const create = (name: string, body: unknown, answer: readonly [number, unknown], rest = {}) =>
  exchange(`create: ${name}`, `POST ${V2}`, answer, { body, ...rest });

const MORE = { tags: ["x"], priority: "high", notes: "n" };
const FIELDS = { title: "Second", description: "  desc ", max_iterations: 3, ...MORE };

const CREATING: Step[] = [
  exchange("read without a token", `GET ${V2}`, page([], { total: 0 }), {
    anonymous: true,
    ...differs("token", 401),
  }),
  exchange("write without a token", `POST ${V2}`, refused(403, "CSRF validation failed"), {
    anonymous: true,
    body: { title: "t" },
    ...differs("token", 401),
  }),
  exchange("list of none", `GET ${V2}`, page([], { total: 0 })),
  create("the least", { title: "  Hello loop  " }, ok(A), { as: "A" }),
  create("all fields", { ...FIELDS, extra: 1 }, ok(B), {
    ...differs("unknown-names", 400, { details: { fields: ["extra"] } }),
  }),
  { meanwhile: `POST ${V2}`, body: FIELDS, as: "B" },
  create("no title", {}, TITLE),
  create("blank title", { title: "   " }, TITLE),
  create("title is a number", { title: 5 }, TITLE),
  create("description is a number", { title: "a", description: 5 }, DESCRIPTION),
  ...[0, -1, "10"].map((max_iterations) =>
    create(
      `max_iterations ${JSON.stringify(max_iterations)}`,
      { title: "a", max_iterations },
      MOST,
    ),
  ),
  create("max_iterations 1.5", { title: "frac", max_iterations: 1.5 }, ok(C), { as: "C" }),
  create("max_iterations 1000000", { title: "big", max_iterations: 1_000_000 }, ok(D), { as: "D" }),
  create("malformed", "{bad", [500, { error: "…" }], differs("bad-json", 400)),
  create("no body", undefined, TITLE),
  create("null", "null", [500, { error: "…" }], differs("bad-json", 400, TITLE[1])),
  create("array", [1], TITLE),
];

const B_WITH_MORE = differs("create-fields", 200, {
  data: [D, C, { ...B, ...MORE }, A],
});

const list = (query: string, answer: readonly [number, unknown], rest = {}) =>
  exchange(`list: ${query}`, `GET ${V2}?${query}`, answer, rest);

const LISTING: Step[] = [
  exchange("list", `GET ${V2}`, page([D, C, B, A]), B_WITH_MORE),
  list("limit=1&offset=1", page([C], { limit: 1, offset: 1, hasMore: true })),
  list("limit=abc", page([], { limit: null }), differs("bounds", 400)),
  list("limit=-1&offset=0", page([D, C, B], { limit: -1, hasMore: true }), differs("bounds", 400)),
  list("offset=-1", page([A], { offset: -1 }), differs("bounds", 400)),
  list("status=created&limit=1", page([D], { limit: 1, hasMore: true })),
  list("status=all&limit=1", page([D], { limit: 1, hasMore: true })),
  list("status=zzz", page([], { total: 0 }), differs("bounds", 400)),
  exchange("get", `GET ${V2}/{A}`, ok(A)),
  exchange("get: missing", `GET ${V2}/loop-v2-nope`, NOT_FOUND),
  exchange("get: encoded traversal", `GET ${V2}/..%2f..%2fpackage`, NOT_FOUND, differs("ids", 400)),
  exchange("get: ..", `GET ${V2}/..`, NO_ROUTE, differs("no-route", 404)),
  exchange("get: NUL", `GET ${V2}/a%00b`, NOT_FOUND, differs("ids", 400)),
  exchange("get: backslash", `GET ${V2}/a%5Cb`, NOT_FOUND, differs("ids", 400)),
];

const CHANGES = { max_iterations: 7, tags: ["a", "b"], priority: "low" };
const EDITED = { ...A, title: "New", description: "D", notes: "n", ...CHANGES };
const update = (name: string, body: unknown, answer: readonly [number, unknown], rest = {}) =>
  exchange(`update: ${name}`, `PUT ${V2}/{A}`, answer, { body, ...rest });

const UPDATING: Step[] = [
  update(
    "all fields",
    { title: " New ", description: " D ", notes: " n ", ...CHANGES },
    ok(EDITED),
  ),
  update("nothing", {}, ok(EDITED)),
  update("title", { title: "" }, refused(400, "title must be a non-empty string")),
  update("description", { description: 1 }, DESCRIPTION),
  update("max_iterations", { max_iterations: 0 }, MOST),
  update("tags", { tags: [1] }, refused(400, "tags must be an array of strings")),
  update(
    "priority",
    { priority: "urgent" },
    refused(400, "priority must be one of: low, medium, high"),
  ),
  update("notes", { notes: 3 }, refused(400, "notes must be a string")),
  exchange("update: missing", `PUT ${V2}/loop-v2-nope`, NOT_FOUND, { body: { title: "x" } }),
  update(
    "status is no field",
    { status: "completed", current_iteration: 99 },
    ok(EDITED),
    differs("unknown-names", 400, { details: { fields: ["status", "current_iteration"] } }),
  ),
];

const patch = (
  name: string,
  status: string | undefined,
  answer: readonly [number, unknown],
  rest = {},
) => exchange(`status: ${name}`, `PATCH ${V2}/{A}/status`, answer, { body: { status }, ...rest });

/** A status that any text could become there. */
const moves = (from: string, status: string, more = {}) =>
  patch(`${from} to ${status}`, status, ok({ ...EDITED, status, ...more }), differs("patch", 409));

/** A command that the status does not take: 400 there. */
const cannot = (command: string, status: string) => {
  const error = `Cannot ${command} loop with status: ${status}`;
  return exchange(
    `${command} when ${status}`,
    `POST ${V2}/{A}/${command}`,
    refused(400, error),
    otherStatus("conflict", 409, error),
  );
};
const does = (command: string, status: string, message: string, more = {}) =>
  exchange(
    `${command} a loop`,
    `POST ${V2}/{A}/${command}`,
    ok({ ...EDITED, status, ...more }, { message }),
  );

const STOPPED = { failure_reason: "Manually stopped by user", completed_at: "{time}" };
const RUNNING = "Cannot delete running loop. Stop it first.";

const MOVING: Step[] = [
  patch("none", undefined, refused(400, "status is required")),
  patch("exit", "user_exit", refused(400, "Invalid status: user_exit"), differs("user-exit", 409)),
  exchange("status: no loop", `PATCH ${V2}/nope/status`, NOT_FOUND, { body: { status: "paused" } }),
  cannot("pause", "created"),
  cannot("resume", "created"),
  moves("created", "paused"),
  { meanwhile: `POST ${V2}/{A}/start` },
  { meanwhile: `POST ${V2}/{A}/pause` },
  does("resume", "running", "Loop resumed"),
  cannot("resume", "running"),
  cannot("start", "running"),
  update(
    "running",
    { title: "zz" },
    refused(400, "Cannot update loop with status: running"),
    differs("edit-running", 200, { data: { title: "zz" } }),
  ),
  { meanwhile: `PUT ${V2}/{A}`, body: { title: "New" } },
  exchange(
    "delete when running",
    `DELETE ${V2}/{A}`,
    refused(400, RUNNING),
    otherStatus("conflict", 409, RUNNING),
  ),
  does("pause", "paused", "Loop paused"),
  cannot("pause", "paused"),
  does("stop", "failed", "Loop stopped", STOPPED),
  cannot("stop", "failed"),
  cannot("start", "failed"),
  cannot("resume", "failed"),
  moves("failed", "completed", STOPPED),
  moves("completed", "running", STOPPED),
  moves("running", "created", STOPPED),
  exchange(
    "start a loop",
    `POST ${V2}/{C}/start`,
    ok({ ...C, status: "running" }, { message: "Loop started" }),
  ),
  create(
    "max_iterations 1e308",
    { title: "huge", max_iterations: 1e308 },
    ok(loop("E", { title: "huge", max_iterations: 1e308 })),
    differs("highest", 400),
  ),
];

export const LOOPS: readonly Step[] = [...CREATING, ...LISTING, ...UPDATING, ...MOVING];
