import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "@ccw-loop/testkit";
import type { Fleet } from "./fleet.ts";

/** What goes wrong around the workers: it begins, lasts, and is over when the promise resolves. */
export type Trouble = (fleet: Fleet, random: Random, leaseMs: number) => Promise<void>;

export const TROUBLES = {
  "PostgreSQL stopped hard": async ({ database }, random) => {
    await database.halt("QUIT");
    await delay(random.int(0, 2000));
    await database.boot();
  },
  "git server away": async ({ git }, random) => {
    await git.stop();
    await delay(random.int(500, 4000));
    await git.start();
  },
  "all connections cut": async ({ machines }, random) => {
    for (const { way } of machines) way.cut();
    await delay(random.int(0, 1500));
    for (const { way } of machines) way.open();
  },
  "one machine cut off past its lease": async ({ machines }, random, leaseMs) => {
    const { way } = random.pick(machines as [Fleet["machines"][number]]);
    way.cut();
    await delay(leaseMs * (1.2 + random.next() / 2));
    way.open();
  },
  "connections slowed": async ({ machines }, random) => {
    const ms = random.int(50, 250);
    for (const { way } of machines) way.delay(ms);
    await delay(random.int(2000, 5000));
    for (const { way } of machines) way.delay(0);
  },
  "PostgreSQL restarted": async ({ database }, random) => {
    await database.halt("INT");
    await delay(random.int(0, 1000));
    await database.boot();
  },
} satisfies Record<string, Trouble>;

export type TroubleName = keyof typeof TROUBLES;
export const TROUBLE_NAMES = Object.keys(TROUBLES) as TroubleName[];
