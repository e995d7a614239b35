import type { Mutant } from "../mutant.ts";

const BEYOND = {
  file: "packages/store-fs/test/hostile-files.test.ts",
  title: "what is beyond a bound hangs no command",
};
const BOUNDS = "packages/core/test/bounds.test.ts";
const NAMES = "packages/store-fs/src/commit/revision-names.ts";
const LEASES = "packages/store-fs/test/leases.test.ts";

/** What is read without a bound, so that one file hangs or ends every command of a project. */
export const mutants: Mutant[] = [
  {
    name: "A state file names any revision.",
    file: "packages/core/src/state/loop-state.ts",
    find: "revision: z.int().nonnegative().max(LAST_REVISION).optional(),",
    replace: "revision: z.int().nonnegative().optional(),",
    test: { file: BOUNDS, title: "a state names no revision that no file can have" },
  },
  {
    name: "The name of a file alone makes the last revision believed.",
    file: NAMES,
    find: "return revision > LAST_REVISION - 1_000_000;",
    replace: "return revision < 0;",
    test: BEYOND,
  },
  {
    name: "The name of a folder is any epoch.",
    file: NAMES,
    find: `    const digits = /^epoch-(\\d{10})$/.exec(name)?.[1];
    return digits === undefined ? [] : (Epoch.safeParse(Number(digits)).data ?? []);`,
    replace: `    const digits = /^epoch-(\\d+)$/.exec(name)?.[1];
    return digits === undefined ? [] : Number(digits);`,
    test: BEYOND,
  },
  {
    name: "The last epoch there is lets nobody claim the loop again.",
    file: "packages/store-fs/src/lease.ts",
    find: "if (epoch === LAST_EPOCH) {",
    replace: "if (epoch > LAST_EPOCH) {",
    test: { file: LEASES, title: "the last one is set aside, and who drives goes on" },
  },
  {
    name: "JSON is parsed however deep it is nested.",
    file: "packages/core/src/json.ts",
    find: "text === undefined || isTextDeeper(text, MAX_JSON_DEPTH)) return undefined;",
    replace: "text === undefined) return undefined;",
    test: BEYOND,
  },
  {
    name: "A commit is written that is nested too deep to be read again.",
    file: "packages/store-fs/src/commit/commit-form.ts",
    find: "if (isValueDeeper(head, MAX_JSON_DEPTH) || isValueDeeper(state, MAX_JSON_DEPTH - 1, known)) {",
    replace: "if (isValueDeeper(head, 1e9)) {",
    test: {
      file: "packages/store-fs/test/commits.test.ts",
      title: "what is nested too deep to be read again is refused",
    },
  },
  {
    name: "A named pipe in the place of a file keeps who opens it waiting.",
    file: "packages/processes/src/plain-file.ts",
    find: "flag | links | flags.O_NONBLOCK, mode);",
    replace: "flag | links, mode);",
    test: {
      file: "packages/processes/test/plain-file.test.ts",
      title: "in its registry: a named pipe",
    },
  },
  {
    name: "A lease record that names an endless time keeps its loop for ever.",
    file: "packages/store-fs/src/lease.ts",
    find: "LeaseMs.safeParse(leftMs).success && leftMs <= (record.ttl ?? leftMs);",
    replace: "leftMs > 0;",
    test: { file: LEASES, title: "what a lease record says is believed only within bounds" },
  },
  {
    name: "A loop may have any number of iterations.",
    file: "packages/core/src/state/scalars.ts",
    find: "return z.int(text).min(1, text).max(MAX_LIMITS[name], text);",
    replace: "return z.number(text).min(1, text);",
    test: { file: BOUNDS, title: "every limit of a loop has a highest value" },
  },
];
