import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Activity,
  type Lease,
  LoopError,
  type LoopEvent,
  type LoopService,
  type LoopState,
  type LoopStore,
  type RecordedEvent,
  shellWord,
} from "@ccw-loop/core";
import { initialProgress, sanitizeLine } from "@ccw-loop/view";
import { userKeyFile } from "../config/settings.ts";
import { outcomeData, outcomeText } from "../output/outcome.ts";
import { openView } from "../output/run-view.ts";
import { compose } from "../runtime/compose.ts";
import type { Context } from "../runtime/context.ts";
import { commandHints } from "../runtime/hints.ts";
import { listen } from "../runtime/interrupts.ts";
import type { Answer } from "../runtime/perform.ts";
import { loopFolder } from "../runtime/project-root.ts";

export interface ReplayFlags {
  at?: number;
  /** So many times as fast as it was. */
  speed: number;
  events?: true;
}

/** Nobody wants to sit through a night: the longest that nothing happens. */
const LONGEST_GAP_MS = 2000;
const LEASE_MS = 30_000;
/** What names other loops than the files of a folder. */
const ELSEWHERE = ["CCW_LOOP_URL", "CCW_LOOP_STORE"];
const ACTOR = { actor: "replay" };

/** What happened at once: facts of one commit, or one record of agent.log. */
interface Moment {
  at: number;
  events: readonly LoopEvent[];
  activity: Activity | null;
}

/**
 * Plays a recorded loop without its agent: what was recorded is recorded again, in a project of its own in a temporary
 * folder, as fast as is asked, so that every door of that project shows it as it was. With `at` it stops behind that
 * checkpoint. Whatever does not end by itself there is paused, so that nobody drives it.
 */
export async function replay(
  context: Context,
  id: string,
  { at, speed, events }: ReplayFlags,
): Promise<Answer> {
  const loops = await context.parts.loops();
  const { checkpoints = [] } = await loops.get(id);
  if (at !== undefined && !checkpoints.some(({ n }) => n === at)) {
    const known = checkpoints.map(({ n }) => n).join(", ") || "none";
    throw new LoopError("invalid_input", `Loop ${id} has no checkpoint ${at}. It has: ${known}.`);
  }
  const { first, moments } = await recordingOf(loops, id);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-replay-")));
  await mkdir(loopFolder(folder), { recursive: true, mode: 0o700 });
  // Wherever the loop was recorded: what is played are files of that folder, and nothing of the user's own is loaded.
  const { cache } = context.extensions;
  const warn = (message: string) => context.say(`ccw-loop: ${sanitizeLine(message)}`);
  const parts = compose(folder, { warn, keyFile: userKeyFile(context.io.env), cache });
  const hint = commandHints(context.io, { cwd: folder });
  const place = { ...context, parts, hint };
  using interrupts = listen(context.io, {});
  try {
    const store = await parts.store();
    let { state } = await store.create(withoutPlace(first), ACTOR);
    context.say(`Replaying ${id} in ${folder}. Watch it from another terminal with:`);
    context.say(hint("ccw-loop tui"));
    const others = ELSEWHERE.filter((name) => context.io.env[name]);
    if (others.length > 0)
      context.say(`There, unset ${others.join(" and ")}: the replay is in files.`);
    const view = await openView(place, initialProgress(state), { events: events === true });
    const lease = await store.claim(id, `replay:${process.pid}`, LEASE_MS);
    const player = new Player(store, lease, (moment, revision) => {
      for (const event of moment.events) {
        view.event({ kind: "recorded", id, recorded: { revision, ...ACTOR, event } });
      }
      if (moment.activity) view.event({ kind: "activity", id, activity: moment.activity });
    });
    try {
      let before = moments[0]?.at ?? 0;
      for (const moment of moments) {
        const gap = Math.min(Math.max(0, moment.at - before) / speed, LONGEST_GAP_MS);
        before = moment.at;
        await sleep(gap, undefined, { signal: interrupts.signal }).catch(() => undefined);
        if (interrupts.signal.aborted) break;
        state = await player.play(state, moment);
        if (at !== undefined && state.checkpoints?.some(({ n }) => n === at)) break;
      }
      if (state.status === "running") {
        const reason = at === undefined ? "The recording ends here." : `Checkpoint ${at}.`;
        const event: LoopEvent = { type: "loop.paused", at: state.updated_at, reason };
        state = await player.play(state, { at: 0, events: [event], activity: null });
      }
    } finally {
      view.close();
      await store.release(lease);
    }
    const exit = interrupts.exit(0);
    if (events) return { exit };
    const next = [
      `ccw-loop show ${shellWord(id)}`,
      `rm -rf ${shellWord(folder)} # when you have seen enough`,
    ];
    const data = { ...outcomeData(state, place, next), project: folder };
    return { data, text: outcomeText(state, place, next), exit };
  } finally {
    await parts.close();
  }
}

type Show = (moment: Moment, revision: number) => void;

/** Records moments again under a lease, so that nobody else takes the loop for one to be driven. */
class Player {
  readonly #store: LoopStore;
  readonly #lease: Lease;
  readonly #show: Show;
  #renewed = Date.now();

  constructor(store: LoopStore, lease: Lease, show: Show) {
    this.#store = store;
    this.#lease = lease;
    this.#show = show;
  }

  async play(state: LoopState, moment: Moment): Promise<LoopState> {
    const { id, epoch } = this.#lease;
    if (Date.now() - this.#renewed > LEASE_MS / 3) {
      await this.#store.renew(this.#lease);
      this.#renewed = Date.now();
    }
    let after = state;
    const { activity, events } = moment;
    if (activity) {
      const { seq: _, gap: __, ...record } = activity;
      await this.#store.appendLog(id, [record]);
    }
    if (events.length > 0) {
      const { revision = 1 } = state;
      after = (await this.#store.append(id, revision, events, { ...ACTOR, epoch })).state;
    }
    this.#show(moment, after.revision ?? 1);
    return after;
  }
}

/** All that was recorded of a loop in the order in which it happened, behind its first state. */
async function recordingOf(
  loops: LoopService,
  id: string,
): Promise<{ first: LoopState; moments: Moment[] }> {
  const facts: RecordedEvent[] = [];
  for await (const recorded of loops.events(id)) facts.push(recorded);
  const created = facts.find(({ event }) => event.type === "loop.created");
  if (created?.event.type !== "loop.created") {
    throw new LoopError(
      "invalid_input",
      `The history of loop ${id} does not begin with its first state.`,
    );
  }
  // A clock may have gone back between two processes; what came later comes later here, too.
  let latest = 0;
  const inOrder = (at: string) => {
    latest = Math.max(latest, Date.parse(at));
    return latest;
  };
  const commits = Map.groupBy(
    facts.filter((one) => one !== created),
    ({ revision }) => revision,
  );
  const moments = [...commits.values()].flatMap((commit): Moment[] => {
    // A worktree is the recorded loop's own: nothing of the replay may reach it.
    const events = commit.map(({ event }) => event).filter(({ type }) => type !== "worktree.made");
    const [head] = events;
    return head ? [{ at: inOrder(head.at), events, activity: null }] : [];
  });
  latest = 0;
  for await (const activity of loops.activity(id)) {
    moments.push({ at: inOrder(activity.at), events: [], activity });
  }
  // Stable: what happened in the same millisecond keeps the order of its own list.
  moments.sort((a, b) => a.at - b.at);
  return { first: created.event.loop, moments };
}

/** The first state without the files that it worked on, and without its revision. */
function withoutPlace({ workspace: _, revision: __, ...state }: LoopState): LoopState {
  return state;
}
