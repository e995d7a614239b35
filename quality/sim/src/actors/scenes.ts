import type { Place } from "../world/triggers.ts";
import type { World } from "../world/world.ts";
import { keepSupervisor, leave, request } from "./drivers.ts";
import { writeForeign } from "./foreign.ts";
import { sendCommands, toWork } from "./operator.ts";

/** Sets something up that is to happen to a loop; says when it has, or when it has to be set up again. */
export type Scene = (world: World, id: string, done: () => void, again: () => void) => void;

const MOST_TRIES = 5;
/** Nobody waits longer for a scene, in virtual ms. */
const LONGEST_MS = 120_000;
/** So long somebody stands still for somebody else to come. */
const STILL_MS = 25_000;

const driven = ({ process }: Place) => process.drives;
/** Some time in the following milliseconds, unless everything is healed by then. */
const soon = (world: World, most: number, act: () => void) =>
  world.after(world.random.next() * most, () => {
    if (world.troubled) act();
  });

/**
 * What chance alone would bring about too seldom: the instants in which a defect shows itself. Seeds take turns, so that
 * every one of these happens in any run of some length.
 */
const SCENES: readonly (Scene | null)[] = [
  null,

  function killInCommit(world, _, done) {
    const act = ({ process }: Place) => {
      process.callsToLive = world.random.int(0, 2);
      done();
    };
    world.triggers.once("draft", act, driven);
  },

  function killBeforeSync(world, _, done) {
    const act = ({ process }: Place) => {
      process.callsToLive = 0;
      done();
    };
    const hasNumber = ({ process, loop }: Place) =>
      [...process.commits].some((commit) => commit.loop === loop && commit.hasNumber);
    world.triggers.once("sync", act, hasNumber);
  },

  function killAtWork(world, _, done) {
    world.triggers.once("work", ({ process }) =>
      soon(world, 100, () => {
        world.kill(process);
        done();
      }),
    );
  },

  /** A client dies when its commit has a number and is not synced; another one repeats its request, and the power goes. */
  function powerBehindRepeatedRequest(world, id, done, again) {
    const opId = `insisted-${world.random.int(1, 1e9)}`;
    const first = world.spawn("client");
    const dies = ({ process }: Place) => process === first.process && process.commits.size > 0;
    world.triggers.once(
      "link",
      ({ process }) => {
        process.callsToLive = 1;
      },
      dies,
    );
    world.whenDead(first.process, async () => {
      const second = world.spawn("client");
      if (!(await request(world, second, id, opId)) || !world.troubled) return again();
      world.count("power cut behind a repeated op id");
      world.cutPower();
      done();
    });
    void request(world, first, id, opId).then(async () => {
      if (!first.process.alive) return;
      await leave(first);
      again();
    });
  },

  function powerInCommit(world, _, done, again) {
    world.triggers.once("link", () =>
      soon(world, 0.1, () => {
        const before = world.tally["power cut that takes a commit"];
        world.cutPower();
        if (world.tally["power cut that takes a commit"] === before) again();
        else done();
      }),
    );
  },

  /** Notes come until old revisions are let go of; then the power goes. */
  function powerBehindTrim(world, id, done) {
    world.triggers.once("trim", () =>
      soon(world, 300, () => {
        world.cutPower();
        done();
      }),
    );
    void addNotes(world, id);
  },

  /** An owner stands still while it opens its agent, and wakes when somebody else's agent or tests work. */
  function suspendedBeforeTurn(world, _, done, again) {
    keepSupervisor(world, "supervisor-rival");
    const act = ({ process: owner, loop }: Place) => {
      world.suspend(owner);
      const begins = () => {
        world.count("owner suspended before a turn that another begins");
        soon(world, 10, () => {
          world.wake(owner);
          done();
        });
      };
      const others = (place: Place) => place.loop === loop && place.process !== owner;
      world.triggers.once("work", begins, others);
      world.after(STILL_MS, () => {
        if (!owner.suspended) return;
        world.wake(owner);
        again();
      });
    };
    world.triggers.once("open", act, driven);
  },

  /** An owner stands still while it writes a commit, and wakes when somebody else has the lease. */
  function suspendedInCommit(world, _, done, again) {
    keepSupervisor(world, "supervisor-rival");
    const act = ({ process: owner, loop }: Place) => {
      world.suspend(owner);
      const claimed = () =>
        soon(world, 1, () => {
          world.wake(owner);
          done();
        });
      const others = (place: Place) => place.loop === loop && place.process !== owner;
      world.triggers.once("claim", claimed, others);
      world.after(STILL_MS, () => {
        if (!owner.suspended) return;
        world.wake(owner);
        again();
      });
    };
    const holds = (place: Place) =>
      driven(place) && world.ledger.leases.ownerOf(place.loop) === place.process;
    world.triggers.once("draft", act, holds);
  },

  function twoWriters(world, id, done) {
    const act = () => {
      void sendCommands(world, id);
      done();
    };
    world.triggers.once("draft", act, ({ process, loop }) => process.drives && loop === id);
  },

  function foreignAtPublication(world, _, done) {
    const act = ({ loop }: Place) => {
      world.count("foreign edit in the moment of a publication");
      writeForeign(world, loop);
      done();
    };
    world.triggers.once("publish", act);
  },

  function editBehindPass(world, _, done) {
    const act = () => {
      world.count("edit of the project behind a passing run");
      for (const project of world.projects.values()) project.edit("cart.js", false);
      done();
    };
    if (world.random.chance(0.5)) world.triggers.once("recorded", act);
    else world.triggers.once("passed", () => soon(world, 20, act));
  },

  function stopAtWork(world, _, done) {
    const type = world.random.pick(["pause", "stop", "exit"] as const);
    world.triggers.once("work", ({ loop }) =>
      soon(world, 100, () => {
        void sendCommands(world, loop, () => [{ type }]);
        done();
      }),
    );
  },

  function terminatedAtWork(world, _, done) {
    world.triggers.once("work", ({ process }) =>
      soon(world, 30, () => {
        world.terminate(process);
        done();
      }),
    );
  },

  function diskErrorInCommit(world, _, done) {
    const act = ({ process }: Place) => {
      process.faults = { changing: 1, reading: 0 };
      soon(world, 2000, () => {
        process.faults = { changing: 0, reading: 0 };
      });
      done();
    };
    world.triggers.once("draft", act, driven);
  },

  function jumpUnderLease(world, _, done) {
    world.triggers.once("claim", () =>
      soon(world, world.ttl, () => {
        world.jump(world.random.int(-3_600_000, 7_200_000));
        done();
      }),
    );
  },
];

export function sceneOf(seed: number): Scene | null {
  return SCENES[seed % SCENES.length] ?? null;
}

/** Keeps the loop at work until the scene has happened; the answer tells whether it has, or was given up. */
export function playScene(world: World, scene: Scene | null, id: string): () => boolean {
  if (!scene) return () => true;
  let isOver = false;
  const done = () => {
    isOver = true;
  };
  let tries = 0;
  const again = () => {
    tries += 1;
    if (isOver || !world.troubled) return;
    if (tries > MOST_TRIES) done();
    else scene(world, id, done, again);
  };
  const keepBusy = () => {
    if (isOver || !world.troubled) return;
    void sendCommands(world, id, toWork);
    soon(world, 2000, keepBusy);
  };
  soon(world, 500, again);
  world.after(LONGEST_MS, done);
  soon(world, 1000, keepBusy);
  return () => isOver;
}

/** Notes of one client, one after the other. */
async function addNotes(world: World, id: string): Promise<void> {
  const client = world.spawn("client");
  for (let n = 0; n < 20 && client.process.alive; n++) {
    await request(world, client, id, `note-${world.random.int(1, 1e9)}`);
  }
  if (client.process.alive) await leave(client);
}
