import type { Mutant } from "../mutant.ts";

const bound = "packages/orchestrator/test/bound-revisions.test.ts";
const crash = "packages/store-fs/test/crash.test.ts";

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
    file: "packages/orchestrator/src/service/tasks/add-tasks.ts",
    find: '{ actor: "operator", opId, revision }',
    replace: '{ actor: "operator", opId }',
    test: { file: bound, title: "importTasks that is bound to a revision" },
  },
  {
    name: "A rewind goes back over a change that it did not know.",
    file: "packages/orchestrator/src/service/rewind.ts",
    find: "{ actor: owner, epoch, revision }",
    replace: "{ actor: owner, epoch }",
    test: { file: bound, title: "rewind that is bound to a revision" },
  },
  {
    name: "A route compares If-Match before the act and does not pass the revision on.",
    file: "packages/api/src/routes/proof.ts",
    find: "service.verify(id, { signal, revision })",
    replace: "service.verify(id, { signal })",
    test: {
      file: "packages/api/test/routes-retries.test.ts",
      title: "is decided by POST /a/verify",
    },
  },
  {
    name: "A loop whose removal was cut off is still there for its readers.",
    file: "packages/store-fs/src/commits/history.ts",
    find: "if (text !== null && isTombstone(text)) throw notFound(paths.id);",
    replace: "",
    test: { file: crash, title: "leaves a whole loop or none when the next call is read" },
  },
  {
    name: "A removal does not take the next revision, so a commit at the same moment is deleted with the loop.",
    file: "packages/store-fs/src/recovery/remove.ts",
    find: "return added !== null;",
    replace: "return true;",
    test: {
      file: "packages/store-fs/test/remove.test.ts",
      title: "of a removal and a commit of two processes exactly one wins",
    },
  },
  {
    name: "What a removal that was cut off left behind stays for ever.",
    file: "packages/store-fs/src/loops.ts",
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
];
