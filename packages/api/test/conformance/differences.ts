/** Where our answers are others than those of the older server, on purpose. */
export interface Difference {
  about: string;
  upstream: string;
  ours: string;
  reason: string;
}

/** By the name that exchanges refer to; those of `GENERAL` are about more than one exchange can show. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  token: {
    about: "Requests without a token",
    upstream: "Reading is open, writing is 403 without any Authorization header",
    ours: "401 with `WWW-Authenticate: Bearer`",
    reason: "Any page and any program of the machine could drive an agent.",
  },
  "create-fields": {
    about: "`tags`, `priority`, `notes` at creation",
    upstream: "Ignored, also the caller's own",
    ours: "Kept, as are `id`, `limits`, `settings`, `worktree`",
    reason: "What the caller says and what is stored are the same.",
  },
  highest: {
    about: "`max_iterations`",
    upstream: "Any number above 0",
    ours: "400 above 1000000, as for every other limit above its highest value",
    reason: "A limit that is never reached is none.",
  },
  "unknown-names": {
    about:
      "Names in a query or a body that an operation does not have, such as `?path=` or `status` in a `PUT`",
    upstream: "Ignored",
    ours: "400 that names it and those that there are",
    reason:
      "A misspelt bound would not hold, and a request for another project or status would seem to be granted.",
  },
  tools: {
    about: "The tools of a task",
    upstream:
      "Six; every task is done by the one agent that there is, and one of an issue that names no tool is of `gemini`",
    ours: "`copilot` as well; the tool names the agent that does the task, which is the loop's own where an issue names none",
    reason: "A tool that is stored and ignored promises what nobody does.",
  },
  "bad-json": {
    about: "A body that is no JSON object",
    upstream: "500 with the text of an engine's error",
    ours: "400 `invalid_input`",
    reason: "It is the caller's mistake.",
  },
  bounds: {
    about: "`limit`, `offset` and `status` of a list",
    upstream:
      "`limit=abc` and an unknown status give an empty list, negative numbers a slice from the end",
    ours: "400 that names the bounds, or the statuses",
    reason: "A typing error must not look like an empty project; a page is at most 500 loops.",
  },
  ids: {
    about: "Ids that are no safe name",
    upstream: "404, after a look at the file of that name",
    ours: "400 `invalid_id`; no file is touched",
    reason: "Ids become file names.",
  },
  "no-route": {
    about: "Unknown paths, and methods that a path does not have",
    upstream: "502 in plain text, or no answer at all",
    ours: "404 and 405 (with `Allow`) in JSON",
    reason: "A client can tell its own mistake from a broken server.",
  },
  conflict: {
    about: "A command that the loop's status does not allow",
    upstream: "400",
    ours: "409 `invalid_transition` with the same text",
    reason: "The request is right and may be accepted later; 400 says that it never will.",
  },
  patch: {
    about: "`PATCH …/status`",
    upstream: "Any status to any other",
    ours: "The command that leads there is given, and may be refused with 409",
    reason:
      "`completed` is reached by a passing test run alone; ended loops do not come back by a field.",
  },
  "user-exit": {
    about: "The status `user_exit`",
    upstream: "Unknown; such a loop is stuck",
    ours: "A status like the others: left by `resume`",
    reason: "The menu's exit puts loops there.",
  },
  "edit-running": {
    about: "`PUT` on a running loop",
    upstream: "400",
    ours: "Accepted; the next action reads it",
    reason: "A change is a commit of its own and cannot be lost or overwrite progress.",
  },
  "task-fields": {
    about: "Fields of tasks",
    upstream: "`command` and `on_error` may be anything; a change is not checked at all",
    ours: "Texts, and a change is checked as a new task is",
    reason: "Whoever carries out the task could not read it otherwise.",
  },
  "task-loop": {
    about: "Tasks of a loop that does not exist",
    upstream: "Accepted, listed as none",
    ours: "404",
    reason: "Nobody would ever find them again.",
  },
  "task-loss": {
    about: "A task that is added after a change or a new order",
    upstream: "It and the last task are lost; numbers come twice",
    ours: "All are there, numbered from 0",
    reason: "No acknowledged write is lost.",
  },
  reorder: {
    about: "A new order with unknown or repeated ids",
    upstream: "500; a repeated id doubles its task",
    ours: "404; 400",
    reason: "It is the caller's mistake, and a task has one place.",
  },
  generate: {
    about: "`POST …/generate`",
    upstream: "Asks the program `tool` and takes over tool, mode and prompt; failures are 500",
    ours: "Asks the loop's own agent; its tasks are the loop's; failures have the code and status of the agent's error",
    reason: "One agent works on a loop, and no other program is started.",
  },
  v1: {
    about: "`/api/loops` without `v2`, `/api/tasks`, `/api/test/loop`",
    upstream: "An older kind of loop that runs shell commands from files",
    ours: "404",
    reason:
      "It read any file by its id and ran code from conditions; nothing of it is part of a loop.",
  },
};

export const GENERAL: readonly Difference[] = [
  {
    about: "Answers that are no success",
    upstream: "`{error}` or `{success: false, error}`",
    ours: "Always `{success: false, error, code}`, with `hint` (the next step) and `details` where there are any, and the fields of RFC 9457, as `application/problem+json`",
    reason:
      "One shape to read; programs go by `code`, and those that know no API of ours by the standard.",
  },
  {
    about: "A loop that was made",
    upstream: "200",
    ours: "201, with a `Location`",
    reason: "Programs find out from the answer alone where the new loop is.",
  },
  {
    about: "Fields",
    upstream: "Those of its own files",
    ours: "The same, and more: `revision`, `etag`, `outcome`, `next_cursor`, `status` of tasks, …",
    reason: "Clients that do not know them are not disturbed.",
  },
  {
    about: "`/api/auth/token`, cookies, CSRF tokens",
    upstream: "A token for everybody on the machine, as a cookie",
    ours: "Do not exist; the token is in a file that only the user can read",
    reason:
      "What a browser adds by itself can be used by any page. Without cookies there is no CSRF.",
  },
  {
    about: "Tasks with the tool `bash`",
    upstream: "Taken from everybody, and never run",
    ours: "Run as commands; 403 `bash_not_allowed` unless the operator allows them (`serve --allow-bash-tasks`). Without a `command` the `description` is the command",
    reason:
      "Tasks come from many sources, and commands of theirs only where the operator wants them. It is no wall: whoever has the token can name a test command (`settings.verify`, `settings.setup`), which runs on the server's machine, too.",
  },
  {
    about: "CORS",
    upstream: "Every port of localhost",
    ours: "None, unless origins are configured",
    reason: "Every local development server would be allowed.",
  },
  {
    about: "`LOOP_TASK_IMPORT_…`, `LOOP_TASK_GENERATION_…` and `LOOP_LOG_ENTRY` on `/ws`",
    upstream: "The steps of an import or of a generation; log entries are defined and never sent",
    ours: "`TASK_ADDED` for each task, as soon as all are there; the answer to the request tells the end",
    reason:
      "All tasks of one request are added in one commit, so there are no steps to tell; what the agent says is on the event streams.",
  },
  {
    about: "Size, depth and type of a body",
    upstream: "Unbounded, unchecked",
    ours: "1 MiB (413), 64 levels and 10,000 values (400), `application/json` (415), not compressed (415)",
    reason: "One request must not exhaust the server, and no form of a page must pass for one.",
  },
];
