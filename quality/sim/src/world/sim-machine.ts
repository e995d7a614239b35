import { type Random, seededRandom } from "@ccw-loop/testkit";
import { SimFiles } from "../disk/sim-files.ts";
import type { SimEvent, Tally } from "../judge/events.ts";
import { Project, worktreesIn } from "../ports/project.ts";
import { Children } from "./children.ts";
import { Scheduler } from "./scheduler.ts";
import { Trace } from "./trace.ts";
import { Triggers } from "./triggers.ts";
import { Watchers } from "./watchers.ts";

export const ROOT = "/p";
/** The wall clock when the machine was first started. */
const BEGIN = Date.parse("2030-01-01T00:00:00.000Z");

export interface Violation {
  /** The number of the promise. */
  promise: 1 | 2 | 3 | 4 | 5 | 6;
  text: string;
}

/** A machine with its disk, its time and its projects, and what happened on it: what agents, tests and judges work with. */
export class SimMachine {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly files: SimFiles;
  readonly watchers: Watchers;
  readonly children: Children;
  /** By the folder in which a loop works. */
  readonly projects = new Map<string, Project>();
  readonly triggers = new Triggers();
  readonly violations: Violation[] = [];
  /** What happened so far that makes the seed worth something. */
  readonly tally: Tally = {};
  /** The time to live of leases. */
  readonly ttl: number;
  boot = 1;
  /** The widest bounds of each loop that anybody asked for. */
  readonly bounds = new Map<string, { iterations: number; turns: number }>();
  /** False once everything is healed: from then on nothing goes wrong. */
  troubled = true;
  /** Milliseconds by which the wall clock was set forward. */
  protected jumped = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.scheduler = new Scheduler(this.random);
    this.trace = new Trace(() => this.scheduler.now);
    this.files = new SimFiles(() => this.wall());
    this.watchers = new Watchers(this.files, this.scheduler, this.random);
    this.children = new Children(this.scheduler, this.random);
    const make = () => new Project(this.scheduler, this.random, worktrees);
    const worktrees = worktreesIn(this.projects, this.random.chance(0.6) ? make : null);
    this.projects.set(ROOT, make());
    this.ttl = this.random.pick([1200, 3000, 15_000]);
    this.files.makeFolder(ROOT);
    this.files.beginSync("/")();
  }

  /** The files of a loop; of one without a worktree those of the project. */
  projectAt(folder = ROOT): Project {
    const found = this.projects.get(folder);
    if (!found) throw new TypeError(`There is no folder ${folder}.`);
    return found;
  }

  wall(): number {
    return BEGIN + Math.floor(this.scheduler.now + this.jumped);
  }

  count(event: SimEvent): void {
    this.tally[event] = (this.tally[event] ?? 0) + 1;
  }

  violate(promise: Violation["promise"], text: string): void {
    this.trace.note(`VIOLATION of promise ${promise}: ${text}`);
    this.violations.push({ promise, text });
  }

  /** Does something at a later moment, outside of any process. */
  after(ms: number, act: () => void): void {
    this.scheduler.post(null, ms, act);
  }

  /** Milliseconds that a call of a slow kind takes. */
  latency(): number {
    const { random } = this;
    return random.chance(0.02) && this.troubled ? random.next() * 200 : 0.05 + random.next() * 2;
  }
}
