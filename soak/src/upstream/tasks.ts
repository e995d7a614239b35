import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DevelopTask, tasksOf } from "../../../packages/core/src/index.ts";
import { type Client, got, sent } from "../client.ts";
import { newTask } from "../workers/new-task.ts";
import { type Row, rowOf, type Trials } from "./row.ts";

const LOOP = "loop";
const TASKS = 20;
const AT_ONCE = 10;

/** Tasks that are added and changed at once, from several processes. */
export async function* tasks(trials: Trials): AsyncGenerator<Row> {
  const upstream =
    "20 added: 2–4 distinct orders; 20 updated: 3–4 visible; then 19 of 21 tasks; rounds of 10: a thread at 100 % for ever";
  const what = `${TASKS} adds, ${TASKS} updates, 1 add, ${trials.count(60)} rounds of ${AT_ONCE} updates at once`;
  yield await rowOf(trials, { section: "17.5", what, upstream }, async (ground) => {
    await ground.service.create({ id: LOOP, description: "A loop with many tasks" });
    ground.worker("reader", { folder: ground.folder });
    const clients = await Promise.all(Array.from({ length: 4 }, () => ground.client()));
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
    await ground.store.read(LOOP);
    const orders = new Set(linesOf(ground.folder).map(({ order }) => order)).size;
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
