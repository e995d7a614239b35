import type { Mutant } from "../mutant.ts";

const bound = "packages/orchestrator/test/bound-revisions.test.ts";
const crash = "packages/store-fs/test/crash.test.ts";
const OPENAPI_EXAMPLES = "packages/api/test/openapi-examples.test.ts";

export const mutants: Mutant[] = [
  {
    name: "A delete that names a revision removes a change that was acknowledged behind its last look.",
    file: "packages/orchestrator/src/service/delete.ts",
    find: "await deps.store.remove(id, { revision });\n      return state;",
    replace: "await deps.store.remove(id);\n      return state;",
    test: { file: bound, title: "delete that is bound to a revision" },
  },
  {
    name: "Tasks are added to another state than the one that the request names.",
    file: "packages/orchestrator/src/service/add-tasks.ts",
    find: '{ actor: "operator", opId, revision }',
    replace: '{ actor: "operator", opId }',
    test: { file: bound, title: "importTasks that is bound to a revision" },
  },
  {
    name: "A rewind goes back over a change that it did not know.",
    file: "packages/orchestrator/src/service/rewind.ts",
    find: "          epoch,\n          revision,\n",
    replace: "          epoch,\n",
    test: { file: bound, title: "rewind that is bound to a revision" },
  },
  {
    name: "A route compares If-Match before the act and does not pass the revision on.",
    file: "packages/api/src/routes/history.ts",
    find: "service.verify(id, { ...body, signal, revision: await revision() })",
    replace: "service.verify(id, { ...body, signal })",
    test: {
      file: "packages/api/test/routes-retries.test.ts",
      title: "is decided by POST /a/verify",
    },
  },
  {
    name: "A loop whose removal was cut off is still there for its readers.",
    file: "packages/store-fs/src/commit/history.ts",
    find: "if (isTombstone(text)) throw notFound(paths.id);",
    replace: "",
    test: { file: crash, title: "leaves a whole loop or none when the next call is read" },
  },
  {
    name: "A removal does not take the next revision, so a commit at the same moment is deleted with the loop.",
    file: "packages/store-fs/src/remove.ts",
    find: "return added;",
    replace: "return true;",
    test: {
      file: "packages/store-fs/test/remove.test.ts",
      title: "of a removal and a commit of two processes exactly one wins",
    },
  },
  {
    name: "What a removal that was cut off left behind stays for ever.",
    file: "packages/store-fs/src/loop-queue.ts",
    find: 'if (isLoopError(error, "loop_not_found")) await clear(loop);',
    replace: "",
    test: { file: crash, title: "leaves a whole loop or none when the next call is read" },
  },
  {
    name: "The reference store removes a running loop.",
    file: "packages/testkit/src/store/memory-store.ts",
    find: 'requireAtRest(newest(loop).state, "delete");',
    replace: "",
    test: {
      file: "packages/testkit/test/memory-store.test.ts",
      title: "is refused for a running loop",
    },
  },
  {
    name: "A loop that is created and started over HTTP without a mode waits at its menu for ever.",
    file: "packages/core/src/state/derived.ts",
    find: 'state.settings?.mode ?? "auto"',
    replace: 'state.settings?.mode ?? "interactive"',
    test: {
      file: "packages/api/test/client/contract.test.ts",
      title: "asks nobody about a loop that does not say that a person chooses",
    },
  },
  {
    name: "A loop of `ccw-loop start` asks a person although nobody sits in front of its supervisor.",
    file: "packages/cli/src/commands/start.ts",
    find: 'origins.get("mode") === "default"',
    replace: "false",
    test: {
      file: "packages/cli/test/supervise.test.ts",
      title: "asks nobody, unless it is configured to",
    },
  },
  {
    name: "An address of IPv4 that is written as one of IPv6 is another machine.",
    file: "packages/api/src/guard/hosts.ts",
    find: "bytes[at] === byte) ? bytes.slice(MAPPED.length) : bytes",
    replace: "bytes[at] === byte) ? bytes : bytes",
    test: { file: "packages/api/test/guard/hosts.test.ts", title: "is a host of this server" },
  },
  {
    name: "A request to [::ffff:127.0.0.1] is refused before the guard sees it.",
    file: "packages/api/src/node/serve.ts",
    find: "normalizeHost(request);",
    replace: "",
    test: {
      file: "packages/api/test/node/listen.test.ts",
      title: "listening at 127.0.0.1 it answers under every spelling",
    },
  },
  {
    name: "A live ticket for a stream is written into the log of a service.",
    file: "packages/cli/src/commands/serve.ts",
    find: "    context.io.stderr.isTTY === true\n",
    replace: "    context.io.stderr.isTTY !== null\n",
    test: { file: "packages/cli/test/serve.test.ts", title: "and never into a log" },
  },
  {
    name: "A connection that is about to be closed is announced as one that stays.",
    file: "packages/api/src/node/raw-answers.ts",
    find: 'answer.setHeader("connection", "close");',
    replace: "",
    test: {
      file: "packages/api/test/node/early-answers.test.ts",
      title: "a length that is too large says that the connection ends",
    },
  },
  {
    name: "The OpenAPI document sends clients of a mounted app to the root of its host.",
    file: "packages/api/src/openapi/document.ts",
    find: "{ ...made, servers: [{ url: base }] }",
    replace: "made",
    test: {
      file: "packages/api/test/node/projects.test.ts",
      title: "says below which path its operations lie",
    },
  },
  {
    name: "A server that drives no loops on purpose counts as one that is not ready.",
    file: "packages/api/src/routes/host.ts",
    find: "return { data: { drives: options.drives?.() ?? null } };",
    replace:
      'if (options.drives?.() === false) throw new LoopError("agent_unavailable", "Nobody drives."); return { data: { drives: null } };',
    test: { file: "packages/api/test/routes-views.test.ts", title: "the project is ready while" },
  },
  {
    name: "Whoever asks whether a server is ready needs its token.",
    file: "packages/api/src/guard/access.ts",
    find: '"/api/ready", ',
    replace: "",
    test: { file: "packages/api/test/guard/access.test.ts", title: "public are only the doors" },
  },
  {
    name: "A misspelt field of a request has no effect, and nobody says so.",
    file: "packages/api/src/contract/operation.ts",
    find: "return z.strictObject(shape, {",
    replace: "return z.object(shape, {",
    test: { file: OPENAPI_EXAMPLES, title: "createLoop refuses a name that it does not have" },
  },
  {
    name: "An operation without parameters takes any, and does something else than was asked.",
    file: "packages/api/src/app/serve-operation.ts",
    find: "checked(query ?? NOTHING, c.req.query())",
    replace: "(query && checked(query, c.req.query()))",
    test: { file: OPENAPI_EXAMPLES, title: "whyLoop refuses a name that it does not have" },
  },
  {
    name: "One body of half a million values holds up the requests of everybody else for seconds.",
    file: "packages/api/src/app/request-body.ts",
    find: "{ depth: DEPTH, values: VALUES }",
    replace: "{ depth: DEPTH }",
    test: { file: "packages/api/test/routes-requests.test.ts", title: "of 10,001 values" },
  },
  {
    name: "A loop that somebody damaged is answered as a failure of the server.",
    file: "packages/core/src/errors.ts",
    find: "store_corrupt: { http: 409",
    replace: "store_corrupt: { http: 500",
    test: {
      file: "packages/api/test/node/damaged-loops.test.ts",
      title: "a commit that cannot be read is no failure of the server",
    },
  },
  {
    name: "An answer says where on the machine a project lies.",
    file: "packages/api/src/app/http-error.ts",
    find: "c.json(redacted(body, redact), ",
    replace: "c.json(body, ",
    test: {
      file: "packages/api/test/node/damaged-loops.test.ts",
      title: "a folder in the place of the state file is no failure of the server",
    },
  },
  {
    name: "A refusal over HTTP does not say the next step that the command line says.",
    file: "packages/api/src/app/http-error.ts",
    find: '...(typeof hint === "string" ? { hint } : {}),',
    replace: "",
    test: {
      file: "packages/api/test/node/damaged-loops.test.ts",
      title: "a refusal with a next step has it in a field of its own",
    },
  },
  {
    name: "A reader that stalls while it is told the past again holds up everybody who comes behind it.",
    file: "packages/api/src/live/project-stream.ts",
    find: "yield* changesSince(context.service, since, kinds);",
    replace: `{
        const turns = log as { last?: Promise<void> };
        const before = turns.last;
        const own = Promise.withResolvers<void>();
        turns.last = own.promise;
        await before;
        yield* changesSince(context.service, since, kinds);
        own.resolve();
      }`,
    test: {
      file: "packages/api/test/live/project.test.ts",
      title: "clients that stall while they are told the past again",
    },
  },
  {
    name: "The failure of work that clients were put off for is forgotten before one of them comes back, who starts it again.",
    file: "packages/api/src/app/idempotency-cache.ts",
    find: "if (gone.aborted) throw error;\n      // Who is told",
    replace: "// Who is told",
    test: {
      file: "packages/api/test/routes-repetitions.test.ts",
      title: "when several were put off and it fails",
    },
  },
  {
    name: "A ticket whose seal does not fit opens a stream.",
    file: "packages/api/src/guard/one-time-codes.ts",
    find: "!isOurs || end <= now",
    replace: "end <= now",
    test: { file: "packages/api/test/guard/access.test.ts", title: "a ticket of one server" },
  },
];
