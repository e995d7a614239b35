import { setTimeout as delay } from "node:timers/promises";
import type { LoopEdit, LoopState } from "../../../packages/core/src/index.ts";
import { type Client, got, sent, stateOf } from "../client.ts";
import type { Ground } from "../ground.ts";
import type { Random } from "../random.ts";
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
    yield await rowOf(trials, { section: "17.3", what, upstream }, async (ground) => {
      const operator = await begin(ground, [{ type: "start" }]);
      const ops = trials.count(full);
      const status = async () => {
        let lost = 0;
        for (let n = 0; n < ops; n++) {
          await sent(operator, LOOP, { type: n % 2 === 0 ? "pause" : "resume" });
          const { status } = await got(operator, LOOP);
          if (status !== (n % 2 === 0 ? "paused" : "running")) lost += 1;
          await delay(trials.dice.between(0, think));
        }
        return lost;
      };
      const [lost, uncounted] = await Promise.all([
        status(),
        iterations(ground, ops, trials.dice, think),
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
    yield await rowOf(trials, { section: "17.4", what, upstream }, async (ground) => {
      await begin(ground, []);
      const ops = trials.count(200);
      const owners = await Promise.all(
        FIELDS.map(async (field) => ({ field, client: await ground.client() })),
      );
      const lost = await Promise.all([
        ...owners.map(({ field, client }) => ownField(client, field, ops, trials.dice, think)),
        iterations(ground, ops, trials.dice, think),
      ]);
      const all = lost.reduce((sum, one) => sum + one, 0);
      return { ours: `6 × ${ops} acked, ${all} lost`, lost: all };
    });
  }
}

async function begin(ground: Ground, commands: { type: "start" }[]): Promise<Client> {
  await ground.service.create({
    id: LOOP,
    description: "A loop that many change",
    max_iterations: 1e6,
  });
  for (const command of commands) await ground.service.send(LOOP, command);
  ground.worker("reader", { folder: ground.folder });
  return ground.client();
}

async function ownField(
  client: Client,
  field: (text: string) => LoopEdit,
  ops: number,
  dice: Random,
  think: number,
): Promise<number> {
  let lost = 0;
  for (let n = 0; n < ops; n++) {
    const changes = field(`Value ${n}`);
    await sent(client, LOOP, { type: "edit", changes });
    if (!shows(await got(client, LOOP), changes)) lost += 1;
    await delay(dice.between(0, think));
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
  ground: Ground,
  ops: number,
  dice: Random,
  think: number,
): Promise<number> {
  const client = await ground.client();
  let lost = 0;
  for (let n = 1; n <= ops; n++) {
    stateOf(await client.ask(LOOP, { type: "advance" }));
    if ((await got(client, LOOP)).current_iteration !== n) lost += 1;
    await delay(dice.between(0, think));
  }
  return lost;
}
