/**
 * Loops on PostgreSQL: durable steps a second beside the least that any store on the same server needs for one, a
 * compare-and-set of a versioned row, prepared as ours is, in turns on as many connections, and beside other engines that the
 * registry has; then claims, pages of a long list, watchers, and a worker with many loops that wait. Brings a server of its own
 * that syncs. Run it with: npm run bench:fleet
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LoopState, type LoopStore } from "@ccw-loop/core";
import { migrate, postgresStore } from "@ccw-loop/store-postgres";
import pg from "pg";
import { builtCopy } from "../../../packages/cli/scripts/built-copy.ts";
import { startPostgres } from "../../../packages/store-postgres/test/server.ts";
import { environment } from "../../support/environment.ts";
import {
  cpuOf,
  machine,
  median,
  memoryOf,
  percentile,
  percentiles,
  timed,
} from "../../support/figures.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import { type Engine, installEngines } from "./support/engines.ts";

const CONNECTIONS = 10;
const ROUNDS = 7;
const ROUND_MS = 1500;
const LISTED = 100_000;
const WATCHERS = 1000;
const CLAIMS = 300;
const WAITING = 10_000;
const at = "2026-01-22T10:00:00.000Z";
const BY = { actor: "bench" };
const TOKENS = { input_tokens: 10, cached_input_tokens: 0, output_tokens: 5, total_tokens: 15 };

function newLoop(loop_id: string): LoopState {
  const task = (i: number) => ({
    ...{ id: `task-00${i}`, description: `Do part number ${i} of the work.`, created_at: at },
  });
  const tasks = Array.from({ length: 5 }, (_, i) => task(i));
  return LoopState.parse({
    ...{ loop_id, title: `Loop ${loop_id}`, description: "A loop of usual size. ".repeat(10) },
    ...{ status: "running", created_at: at, updated_at: at },
    skill_state: { mode: "auto", develop: { tasks } },
  });
}

/** Steps a second of so many loops, each with one step under way. */
async function rate(loops: number, step: (loop: number) => Promise<void>): Promise<number> {
  const end = performance.now() + ROUND_MS;
  let steps = 0;
  const drive = async (_: unknown, loop: number) => {
    while (performance.now() < end) {
      await step(loop);
      steps += 1;
    }
  };
  const taken = await timed(() => Promise.all(Array.from({ length: loops }, drive)));
  return (steps / taken) * 1000;
}

const server = await startPostgres({ sync: true });
const place = { url: server.url, schema: "bench" };
const say = (line: string) => void process.stdout.write(`${line}\n`);
say(`machine     ${machine()}`);
try {
  await migrate(place);
  const store = postgresStore({ ...place, connections: CONNECTIONS });
  const pool = new pg.Pool({ connectionString: server.url, max: CONNECTIONS });
  say(
    `server      PostgreSQL ${(await pool.query("SHOW server_version")).rows[0].server_version}, fsync on`,
  );
  const engines = installEngines(temporaryFolder("engines"));
  for (const { name, versions } of engines) say(`beside      ${name}: ${versions}`);
  for (const loops of [1, 10, 100, 1000]) say(await steps(store, pool, loops, engines));
  say(await claims(store));
  say(await watchers(store));
  for (const line of await pages(store, pool)) say(line);
  say(await waiting(store, pool));
  await pool.end();
  await store.close();
} finally {
  await server.stop();
}

async function steps(
  store: LoopStore,
  pool: pg.Pool,
  loops: number,
  engines: readonly Engine[],
): Promise<string> {
  const ids = Array.from({ length: loops }, (_, i) => `l${loops}-${i}`);
  const revisions = ids.map(() => 1);
  for (const id of ids) await store.create(newLoop(id), BY);
  const document = JSON.stringify((await store.read(ids[0] ?? "")).state);
  await pool.query(
    `CREATE TABLE IF NOT EXISTS plain (id int PRIMARY KEY, revision bigint NOT NULL, epoch bigint NOT NULL, doc json NOT NULL) WITH (fillfactor = 70)`,
  );
  await pool.query("TRUNCATE plain");
  await pool.query(`INSERT INTO plain SELECT i, 1, 0, $2 FROM generate_series(0, $1 - 1) i`, [
    loops,
    document,
  ]);
  const plainRevisions = ids.map(() => 1);
  const plain = async (i: number) => {
    const { rowCount } = await pool.query({
      name: "plain",
      text: "UPDATE plain SET revision = revision + 1, doc = $3 WHERE id = $1 AND revision = $2 AND epoch = 0",
      values: [i, plainRevisions[i], document],
    });
    if (rowCount !== 1) throw new Error("A compare-and-set was lost.");
    plainRevisions[i] = (plainRevisions[i] ?? 0) + 1;
  };
  let made = 0;
  const step = async (i: number) => {
    const now = new Date(Date.parse(at) + made++).toISOString();
    const events = [{ type: "turn.completed" as const, at: now, ...TOKENS }];
    const { revision } = await store.append(ids[i] ?? "", revisions[i] ?? 0, events, BY);
    revisions[i] = revision;
  };
  const rounds: { plain: number; store: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ plain: await rate(loops, plain), store: await rate(loops, step) });
  }
  const share = median(rounds.map((one) => one.store / one.plain));
  const [ours, least] = [
    median(rounds.map((one) => one.store)),
    median(rounds.map((one) => one.plain)),
  ];
  const others = engines.map(({ name, rate }) => {
    const steps = rate({ url: server.url, loops, document });
    return `, ${name} ${steps.toFixed(0)}/s`;
  });
  return `steps       ${loops} loops: ${ours.toFixed(0)}/s, plain ${least.toFixed(0)}/s, share ${(share * 100).toFixed(0)} %${others.join("")}`;
}

async function claims(store: LoopStore): Promise<string> {
  const taken: number[] = [];
  for (let i = 0; i < CLAIMS; i++) {
    const id = `l1000-${i}`;
    taken.push(await timed(async () => store.release(await store.claim(id, "bench", 10_000))));
  }
  return `claims      claim and release: ${percentiles(taken, 1)}`;
}

async function watchers(store: LoopStore): Promise<string> {
  const over = new AbortController();
  const told: number[] = [];
  let began = 0;
  const listening = Array.from({ length: WATCHERS }, async (_, i) => {
    for await (const _hint of store.watch(`l1000-${i}`, over.signal))
      told.push(performance.now() - began);
  });
  const waits: number[] = [];
  for (let i = 0; i < 100; i++) {
    const id = `l1000-${i}`;
    const { revision } = await store.read(id);
    began = performance.now();
    const before = told.length;
    await store.append(id, revision, [{ type: "turn.completed", at, ...TOKENS }], BY);
    while (told.length === before) await new Promise((done) => setImmediate(done));
    waits.push(told.at(-1) ?? Number.NaN);
  }
  over.abort();
  await Promise.all(listening);
  return `watchers    ${WATCHERS} in one process, from the begin of a commit until it is told: ${percentiles(waits, 1)}`;
}

async function pages(store: LoopStore, pool: pg.Pool): Promise<string[]> {
  await pool.query(
    `INSERT INTO bench.loops (id, revision, state, status, tags, words, updated_at)
    SELECT 'p' || i, revision, replace(state::text, '"l1-0"', '"p' || i || '"')::json, (ARRAY['paused', 'completed', 'failed'])[1 + i % 3],
      CASE WHEN i % 100 = 0 THEN '{rare}'::text[] ELSE '{}' END, 'p' || i, to_char(timestamp '2026-01-01' + i * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"')
    FROM bench.loops, generate_series(1, $1) i WHERE id = 'l1-0'`,
    [LISTED],
  );
  // As the server does by itself after a while.
  await pool.query("VACUUM ANALYZE bench.loops");
  const queries = [
    ["newest", {}],
    ["by status", { status: "completed" }],
    ["by tag", { tag: "rare" }],
  ] as const;
  const found: string[] = [];
  for (const [name, query] of queries) {
    const taken: number[] = [];
    for (let i = 0; i < 50; i++) taken.push(await timed(() => store.list({ ...query, limit: 50 })));
    found.push(`list        ${name}, 50 of ${LISTED}: p50 ${percentile(taken, 0.5).toFixed(1)} ms`);
  }
  return found;
}

async function waiting(store: LoopStore, pool: pg.Pool): Promise<string> {
  await store.create(newLoop("waiting"), BY);
  const until = "2999-01-01T00:00:00.000Z";
  const wait = { kind: "usage_limit" as const, since: at, until };
  await store.append("waiting", 1, [{ type: "waiting.started", at, waiting: wait }], BY);
  await pool.query("DELETE FROM bench.loops WHERE id <> 'waiting'");
  await pool.query(
    `INSERT INTO bench.loops (id, revision, state, status, tags, words, updated_at, waiting)
    SELECT 'w' || i, revision, replace(state::text, '"waiting","title"', '"w' || i || '","title"')::json, status, tags, words, updated_at, true
    FROM bench.loops, generate_series(2, $1) i WHERE id = 'waiting'`,
    [WAITING],
  );
  const folder = temporaryFolder("bench");
  const built = join(
    import.meta.dirname,
    "../../../packages/cli/node_modules",
    `.bench-${process.pid}`,
  );
  try {
    const address = `${place.url}?schema=${place.schema}`;
    const env = { ...environment(), HOME: folder, CCW_LOOP_STORE: address };
    const line = [await builtCopy(built), "worker", "--events"];
    const worker = spawn(process.execPath, line, { env, cwd: folder, stdio: "ignore" });
    const [took, mb] = [await timed(() => atRest(worker.pid ?? 0)), memoryOf(worker.pid ?? 0)];
    worker.kill("SIGKILL");
    return `waiting     ${WAITING} loops cost a worker ${mb} MB, which is at rest after ${(took / 1000).toFixed(0)} s`;
  } finally {
    for (const one of [folder, built]) removeFolder(one);
  }
}

/** Until it has worked for a while, and hardly does any more. */
async function atRest(pid: number): Promise<void> {
  for (let [total, before] = [0, 0]; total < 1000 || total - before > 100; ) {
    before = total;
    await delay(1000);
    total = cpuOf(pid);
  }
}
