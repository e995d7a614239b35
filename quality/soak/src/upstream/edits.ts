import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type DevelopTask, type LoopEdit, type LoopState, tasksOf } from "@ccw-loop/core";
import type { Random } from "@ccw-loop/testkit";
import { type Client, got, sent, stateOf } from "../client.ts";
import type { SoakProject } from "../soak-project.ts";
import { newTask } from "../workers/composition.ts";
import { type Row, rowOf, type Trials } from "./row.ts";

const LOOP = "loop";

/** An API client toggles the status, a second process counts iterations, a third reads the raw files. */
export async function* toggles(trials: Trials): AsyncGenerator<Row> {
  const lines: [number, number, string][] = [
    [
      0,
      500,
      "without repair destroyed after 5–61; with: 9, 11 repairs, 8 status and 28 iterations lost, 27–28 % torn",
    ],
    [20, 300, "10, 5, 4 repairs, 7 status and 15 iterations lost, 6–16 % torn"],
    [100, 300, "2, 2 repairs, 2 status lost, 1.3–1.8 % torn"],
  ];
  for (const [think, full, upstream] of lines) {
    const what = `status toggled, iterations counted, raw reads; think 0–${think} ms`;
    yield await rowOf(trials, { section: "17.3", what, upstream }, async (project) => {
      const operator = await begin(project, [{ type: "start" }]);
      const ops = trials.count(full);
      const status = async () => {
        let lost = 0;
        for (let n = 0; n < ops; n++) {
          await sent(operator, LOOP, { type: n % 2 === 0 ? "pause" : "resume" });
          const { status } = await got(operator, LOOP);
          if (status !== (n % 2 === 0 ? "paused" : "running")) lost += 1;
          await delay(trials.random.next() * think);
        }
        return lost;
      };
      const [lost, uncounted] = await Promise.all([
        status(),
        iterations(project, ops, trials.random, think),
      ]);
      const ours = `2 × ${ops} acked, ${lost} status and ${uncounted} iterations lost`;
      return { ours, lost: lost + uncounted };
    });
  }
}

const FIELDS: readonly ((text: string) => LoopEdit)[] = [
  (text) => ({ title: text }),
  (text) => ({ description: text }),
  (text) => ({ notes: text }),
  (text) => ({ tags: [text] }),
  (text) => ({ settings: { model: text } }),
];

/** Five API clients that each own a field, and a process that owns another; whoever reads its own back is not lied to. */
export async function* fieldOwners(trials: Trials): AsyncGenerator<Row> {
  const lines: [number, string][] = [
    [
      0,
      "without repair destroyed after 5; with: 11, 9, 4 repairs, 114–214 of 599–862 lost, 18–34 % torn",
    ],
    [100, "5, 2 repairs, 52 of 911 and 39 of 949 lost, 4–8 % torn"],
  ];
  for (const [think, upstream] of lines) {
    const what = `5 owners of a field and 1 of another; think 0–${think} ms`;
    yield await rowOf(trials, { section: "17.4", what, upstream }, async (project) => {
      await begin(project, []);
      const ops = trials.count(200);
      const owners = await Promise.all(
        FIELDS.map(async (field) => ({ field, client: await project.client() })),
      );
      const lost = await Promise.all([
        ...owners.map(({ field, client }) => ownField(client, field, ops, trials.random, think)),
        iterations(project, ops, trials.random, think),
      ]);
      const all = lost.reduce((sum, one) => sum + one, 0);
      return { ours: `6 × ${ops} acked, ${all} lost`, lost: all };
    });
  }
}

async function begin(project: SoakProject, commands: { type: "start" }[]): Promise<Client> {
  await project.service.create({
    id: LOOP,
    description: "A loop that many change",
    max_iterations: 1e6,
  });
  for (const command of commands) await project.service.send(LOOP, command);
  project.worker("reader", { folder: project.folder });
  return project.client();
}

async function ownField(
  client: Client,
  field: (text: string) => LoopEdit,
  ops: number,
  random: Random,
  think: number,
): Promise<number> {
  let lost = 0;
  for (let n = 0; n < ops; n++) {
    const changes = field(`Value ${n}`);
    await sent(client, LOOP, { type: "edit", changes });
    if (!shows(await got(client, LOOP), changes)) lost += 1;
    await delay(random.next() * think);
  }
  return lost;
}

function shows(state: LoopState, changes: LoopEdit): boolean {
  return Object.entries(changes).every(
    ([name, value]) => JSON.stringify(Reflect.get(state, name)) === JSON.stringify(value),
  );
}

/** Counts iterations as an orchestrator does, in a process of its own; answers how many were lost. */
async function iterations(
  project: SoakProject,
  ops: number,
  random: Random,
  think: number,
): Promise<number> {
  const client = await project.client();
  let lost = 0;
  for (let n = 1; n <= ops; n++) {
    stateOf(await client.ask(LOOP, { type: "advance" }));
    if ((await got(client, LOOP)).current_iteration !== n) lost += 1;
    await delay(random.next() * think);
  }
  return lost;
}

const TASKS = 20;
const AT_ONCE = 10;

/** Tasks that are added and changed at once, from several processes. */
export async function* tasks(trials: Trials): AsyncGenerator<Row> {
  const upstream =
    "20 added: 2–4 distinct orders; 20 updated: 3–4 visible; then 19 of 21 tasks; rounds of 10: a thread at 100 % for ever";
  const what = `${TASKS} adds, ${TASKS} updates, 1 add, ${trials.count(60)} rounds of ${AT_ONCE} updates at once`;
  yield await rowOf(trials, { section: "17.5", what, upstream }, async (project) => {
    await project.service.create({ id: LOOP, description: "A loop with many tasks" });
    project.worker("reader", { folder: project.folder });
    const clients = await Promise.all(Array.from({ length: 4 }, () => project.client()));
    const client = (n: number) => clients[n % clients.length] as Client;
    const all = (count: number, each: (n: number) => Promise<unknown>) =>
      Promise.all(Array.from({ length: count }, (_, n) => each(n)));
    const visible = async (text: (n: number) => string, count: number) => {
      const found = tasksOf(await got(client(1), LOOP));
      const shown = (task: DevelopTask | undefined, n: number) => task?.description === text(n);
      return Array.from({ length: count }, (_, n) => n).filter((n) =>
        shown(
          found.find(({ id }) => id === `task-${n}`),
          n,
        ),
      ).length;
    };
    const update = (n: number, description: string) =>
      sent(client(n), LOOP, { type: "edit_task", task_id: `task-${n}`, changes: { description } });

    await all(TASKS, (n) =>
      sent(client(n), LOOP, { type: "add_task", task: newTask(`task-${n}`) }),
    );
    await project.store.read(LOOP);
    const orders = new Set(linesOf(project.folder).map(({ order }) => order)).size;
    await all(TASKS, (n) => update(n, `First ${n}`));
    const first = await visible((n) => `First ${n}`, TASKS);
    await sent(client(0), LOOP, { type: "add_task", task: newTask("one-more") });
    const count = tasksOf(await got(client(0), LOOP)).length;
    let hidden = 0;
    const rounds = trials.count(60);
    for (let round = 0; round < rounds; round++) {
      await all(AT_ONCE, (n) => update(n, `Round ${round} ${n}`));
      hidden += AT_ONCE - (await visible((n) => `Round ${round} ${n}`, AT_ONCE));
    }
    const ours = `${orders} distinct orders; ${first} updates visible; then ${count} tasks; ${rounds} rounds answered, ${hidden} updates hidden`;
    return { ours, lost: TASKS - orders + (TASKS - first) + (TASKS + 1 - count) + hidden };
  });
}

/** The lines of tasks.jsonl, which may be a few milliseconds behind. */
function linesOf(folder: string): { order: number }[] {
  const text = readFileSync(join(folder, `${LOOP}.tasks.jsonl`), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
