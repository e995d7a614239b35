import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runningProcesses } from "@ccw-loop/processes";
import { processesRunning, tempRepo } from "@ccw-loop/testkit";
import type { Capabilities } from "../../../packages/agent-acp/src/session/connect.ts";
import { median } from "../../support/figures.ts";
import { FAILURES, type RealAgent } from "./real-agent.ts";
import type { Recipe } from "./recipes.ts";
import { Talk } from "./talk.ts";

/** What an agent does by itself: it is asked over the protocol, and nothing of the loop stands behind it. */
export interface Alone {
  version: string | null;
  /** From the start to an open session. */
  startMs: number;
  capabilities: Capabilities;
  processes: number;
  megabytes: number;
  /** Whether it asked before it wrote, and before it ran a command. */
  asks: { edit: boolean; command: boolean };
  /** What comes of a turn in which a command was refused; null for an agent that did not ask. */
  refused: "goes on" | "ends the turn" | "did it" | null;
  /** A turn that says something, without the time that the model took. Milliseconds. */
  overheadMs: number;
  /** Requests of such a turn to the model besides its own. */
  asides: number;
  /** Processes of a command that lived when the agent said that the turn was cancelled, for each of `SHAPES`. */
  left: number[];
  /** The longest time until it said so. */
  cancelMs: number;
  /** Its service has too many requests, and so long nothing is heard of it; null for one that tells the failure. */
  silentMs: number | null;
  leavesAtEndOfInput: boolean;
  /** Processes that lived after `kill -9` of the agent in the middle of a command. */
  leftByDeath: number;
}

/** Commands that try to live on when they are stopped. */
const SHAPES = [
  (nap: string) => nap,
  (nap: string) => `${nap} & wait`,
  (nap: string) => `trap '' TERM; ${nap}; ${nap}`,
  (nap: string) => `setsid sh -c "trap '' TERM HUP; ${nap}; ${nap}" > /dev/null 2>&1 & ${nap}`,
];
/** What is waited for is its shell: nothing is cleaned up yet when the agent is gone. */
const OUTLIVED = ["/bin/sh", "-c", '"$@"; sleep 4', "sh"];
const SILENCE_MS = 20_000;
const ROUNDS = 6;

/** Tries an agent in a repository of its own; everything that it leaves is ended. */
export async function alone(recipe: Recipe, real: RealAgent): Promise<Alone> {
  await using repo = await tempRepo();
  await using talk = await Talk.begin(recipe, real, repo.path);
  const { capabilities } = talk.session;
  const seen = {
    ...{ version: capabilities.version, capabilities, startMs: talk.startMs },
    ...{ processes: talk.pids.length, megabytes: talk.megabytes },
    asks: await asks(talk, repo.path),
    refused: await refused(talk, repo.path),
    ...(await plainTurns(talk)),
    ...(await cancelled(talk)),
    silentMs: await silence(talk),
    leavesAtEndOfInput: await leaves(talk),
  };
  await using mortal = await Talk.begin(recipe, real, repo.path, OUTLIVED);
  return { ...seen, leftByDeath: await leftByDeath(mortal) };
}

async function asks(talk: Talk, cwd: string): Promise<Alone["asks"]> {
  const path = join(cwd, "asks.txt");
  await talk.turn("Write a file.", [{ write: { path, content: "x\n" } }, { say: "ok" }]);
  const edit = talk.asked.splice(0).length > 0;
  await talk.turn("Run a command.", [{ run: "echo x > ran.txt" }, { say: "ok" }]);
  return { edit, command: talk.asked.splice(0).length > 0 };
}

async function refused(talk: Talk, cwd: string): Promise<Alone["refused"]> {
  talk.choice = "reject_once";
  const { movesLeft } = await talk.turn("Run it.", [
    { run: "echo x > refused.txt" },
    { say: "ok" },
  ]);
  talk.choice = "allow_once";
  const hasAsked = talk.asked.splice(0).length > 0;
  if (!hasAsked) return null;
  if (existsSync(join(cwd, "refused.txt"))) return "did it";
  return movesLeft === 0 ? "goes on" : "ends the turn";
}

async function plainTurns(talk: Talk): Promise<Pick<Alone, "overheadMs" | "asides">> {
  const own: number[] = [];
  let asides = 0;
  for (let n = 0; n < ROUNDS; n++) {
    const { ms, requests } = await talk.turn(`Say ${n}.`, [{ say: "Yes, here it is." }]);
    const ofModel = requests.map(({ beganAt, endedAt }) => (endedAt ?? beganAt) - beganAt);
    own.push(ms - ofModel.reduce((sum, one) => sum + one, 0));
    asides = requests.filter(({ isAside }) => isAside).length;
  }
  return { overheadMs: Math.round(median(own)), asides };
}

async function cancelled(talk: Talk): Promise<Pick<Alone, "left" | "cancelMs">> {
  const left: number[] = [];
  let cancelMs = 0;
  for (const shape of SHAPES) {
    const nap = napOf();
    const turn = talk.turn("Wait for it.", [{ run: shape(nap) }, { say: "never" }]);
    await untilRunning(nap);
    const began = performance.now();
    talk.cancel();
    await turn;
    cancelMs = Math.max(cancelMs, Math.round(performance.now() - began));
    const pids = processesRunning(nap);
    left.push(pids.length);
    for (const pid of pids) end(pid);
  }
  return { left, cancelMs };
}

async function silence(talk: Talk): Promise<number | null> {
  const failing = Array.from({ length: 100 }, () => FAILURES.rate_limited);
  const turn = talk.turn("Say something.", failing);
  const isTold = await Promise.race([turn.then(() => true), delay(SILENCE_MS, false)]);
  if (isTold) return null;
  const quiet = Math.round(performance.now() - talk.lastHeardAt);
  talk.cancel();
  await Promise.race([turn, delay(SILENCE_MS)]);
  return quiet;
}

/** Nothing is sent to it: its input alone ends. */
async function leaves(talk: Talk): Promise<boolean> {
  const { pid } = talk;
  const closed = talk.program.close(8000);
  await delay(5000);
  const isGone = !runningProcesses().some((one) => one.pid === pid);
  await closed;
  return isGone;
}

async function leftByDeath(talk: Talk): Promise<number> {
  const nap = napOf();
  const turn = talk.turn("Wait for it.", [{ run: nap }, { say: "never" }]).catch(() => undefined);
  await untilRunning(nap);
  const { pid } = talk;
  const others = talk.pids.filter((one) => one !== pid && one !== talk.program.pid);
  process.kill(pid, "SIGKILL");
  await delay(1500);
  const alive = new Set(runningProcesses().map((one) => one.pid));
  await turn;
  return others.filter((one) => alive.has(one)).length;
}

let naps = 0;

/** A command that runs for years, by which its processes are known; there are agents that do not start a `sleep`. */
function napOf(): string {
  naps += 1;
  return `tail -s ${500_000_000 + process.pid * 100 + naps} -f /dev/null`;
}

async function untilRunning(command: string): Promise<void> {
  const latest = performance.now() + 60_000;
  while (processesRunning(command).length === 0) {
    if (performance.now() > latest) throw new Error(`"${command}" was not run.`);
    await delay(50);
  }
  // All of its processes are there a moment later.
  await delay(300);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in the meantime.
  }
}
