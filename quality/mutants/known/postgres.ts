import type { Mutant } from "../mutant.ts";

const tests = "packages/store-postgres/test";

/** What a store for many machines owes to clients that race, sleep and lose their connections. */
export const mutants: Mutant[] = [
  {
    name: "A commit of an owner whose lease was taken over is written.",
    file: "packages/store-postgres/src/group-commit.ts",
    find: "(g.epoch IS NULL OR l.epoch = g.epoch)",
    replace: "(g.epoch IS NULL OR l.epoch >= g.epoch)",
    test: { file: `${tests}/rivals.test.ts`, title: "an owner that was suspended" },
  },
  {
    name: "Two commits of one loop share a statement, which makes one of them.",
    file: "packages/store-postgres/src/group-commit.ts",
    find: "!loops.has(one.no)",
    replace: "loops.size > -1",
    test: { file: `${tests}/group-commit.test.ts`, title: "of two commits of one loop" },
  },
  {
    name: "What the server refuses of one commit is answered to those that shared its statement.",
    file: "packages/store-postgres/src/group-commit.ts",
    find: "group.length > 1 && !isLoopError(error)",
    replace: "group.length > 99 && !isLoopError(error)",
    test: { file: `${tests}/group-commit.test.ts`, title: "a commit that the server refuses" },
  },
  {
    name: "The owner of a loop that was removed can add to the one that was made anew.",
    file: "packages/store-postgres/src/leases.ts",
    find: `nextval('\${this.#db.schema}.epochs')`,
    replace: "epoch + 1",
    test: { file: `${tests}/rivals.test.ts`, title: "an epoch of a loop that was removed" },
  },
  {
    name: "A claim whose answer was lost is refused as if another one had the lease.",
    file: "packages/store-postgres/src/leases.ts",
    find: " OR claim = $4)",
    replace: ")",
    test: { file: `${tests}/connections.test.ts`, title: "whoever claimed has the lease" },
  },
  {
    name: "A statement on a connection that was cut is not sent again.",
    file: "packages/store-postgres/src/failures.ts",
    find: '"57P": { advice: LATER, passes: true },',
    replace: '"57P": { advice: LATER },',
    test: {
      file: `${tests}/connections.test.ts`,
      title: "is replaced, and the commit happens once",
    },
  },
  {
    name: "What a transaction that ended late has written is never told.",
    file: "packages/store-postgres/src/changes.ts",
    find: "pg_snapshot_xmin(pg_current_snapshot())",
    replace: "pg_snapshot_xmax(pg_current_snapshot())",
    test: { file: `${tests}/watch.test.ts`, title: "a transaction that ends after later ones" },
  },
  {
    name: "A program goes on writing into tables that a newer one took over.",
    file: "packages/store-postgres/src/database.ts",
    find: `versions) = \${VERSION}`,
    replace: `versions) >= \${VERSION}`,
    test: { file: `${tests}/migrate.test.ts`, title: "a store that a newer program took over" },
  },
  {
    name: "Several that migrate at once all make the tables.",
    file: "packages/store-postgres/src/migrate.ts",
    find: '    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);\n',
    replace: "",
    test: { file: `${tests}/migrate.test.ts`, title: "of several that migrate at once" },
  },
  {
    name: "A standby is asked again on the connection that leads to it.",
    file: "packages/store-postgres/src/database.ts",
    find: "if (failureOf(error, this.place.name)?.passes) lose();",
    replace: 'if (failureOf(error, this.place.name)?.error.details.code !== "25006") lose();',
    test: { file: `${tests}/connections.test.ts`, title: "until another server is the primary" },
  },
  {
    name: "What runs inside of a loop in a database gives it commands from another folder.",
    file: "packages/cli/src/runtime/perform.ts",
    find: "(await parts.storeChoice()) === undefined",
    replace: "(await parts.storeChoice()) !== null",
    test: {
      file: "packages/cli/test/database.test.ts",
      title: "from inside of a loop in a database",
    },
  },
  {
    name: "What speaks with a database is loaded for loops in files.",
    file: "packages/cli/src/extensions/store-choice.ts",
    find: "export const openDatabase = () =>",
    replace: 'await import("@ccw-loop/store-postgres");\nexport const openDatabase = () =>',
    test: { file: "packages/cli/test/database.test.ts", title: "is loaded only for one" },
  },
  {
    name: "A password in an argument is taken.",
    file: "packages/cli/src/extensions/store-choice.ts",
    find: "if (flag !== undefined && hasPassword(flag)) {",
    replace: "if (false) {",
    test: { file: "packages/cli/test/database.test.ts", title: "which database" },
  },
  {
    name: "A loop that ran where it comes from runs at once where it is taken in.",
    file: "packages/orchestrator/src/service/archive.ts",
    find: 'if (state.status !== "running") return',
    replace: "if (state.status) return",
    test: {
      file: "packages/cli/test/archive.test.ts",
      title: "a loop that ran where it comes from",
    },
  },
  {
    name: "A lease that was given back counts as taken over.",
    file: "packages/store-postgres/src/leases.ts",
    find: "WHEN owner IS NULL OR claim = $4 THEN taken",
    replace: "WHEN claim = $4 THEN taken",
    test: { file: `${tests}/figures.test.ts`, title: "figures tell which running loops" },
  },
  {
    name: "A loop whose worker died waits for the next look, although its lease is over.",
    file: "packages/orchestrator/src/supervisor/supervisor.ts",
    find: "Math.min(lease.left_ms, spread(OWNER_EVERY_MS, random()))",
    replace: "spread(OWNER_EVERY_MS, random())",
    test: {
      file: "packages/orchestrator/test/supervise-waits.test.ts",
      title: "is taken over when its lease runs out",
    },
  },
];
