import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopClient } from "@ccw-loop/api/client";
import { type Activity, RecordedEvent } from "@ccw-loop/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { followStream } from "../support/event-stream.ts";
import { PATIENCE } from "../support/processes.ts";
import { type Project, plan, project } from "../support/project.ts";
import { type Serving, serving } from "../support/serve-process.ts";

const IDS = ["a", "b", "c"];
const KILLS = 2;
/** Acknowledged changes before a kill. */
const LOAD = 15;

/** A fact with its number within its commit: what a stream of facts has to tell once. */
interface Fact {
  index: number;
  recorded: RecordedEvent;
}

/** What the loop's file says, whoever believes what. */
function journalOf({ dir }: Project, id: string): Fact[] {
  const text = readFileSync(join(dir, ".workflow", ".loop", `${id}.journal.jsonl`), "utf8");
  const lines = text.trim().split("\n");
  let before: Fact | undefined;
  return lines.map((line) => {
    const recorded = RecordedEvent.parse(JSON.parse(line));
    const index = recorded.revision === before?.recorded.revision ? before.index + 1 : 0;
    before = { index, recorded };
    return before;
  });
}

/** An issue whose import is one commit of several facts. */
function writeIssue({ dir }: Project): void {
  const folder = join(dir, ".workflow", "issues");
  mkdirSync(join(folder, "solutions"), { recursive: true });
  writeFileSync(join(folder, "issues.jsonl"), `${JSON.stringify({ id: "issue-1" })}\n`);
  const tasks = ["one", "two", "three"].map((title) => ({ title }));
  const solution = JSON.stringify({ id: "s", tasks });
  writeFileSync(join(folder, "solutions", "issue-1.jsonl"), `${solution}\n`);
}

/** Lines of the agent, numbered, as another process on this machine writes them. */
function agentOf({ dir }: Project, id: string) {
  const said: string[] = [];
  return {
    said,
    speak(): void {
      const text = `line ${said.length + 1}`;
      const event = { type: "message.completed", text } as const;
      const line: Activity = { at: new Date().toISOString(), action: "DEVELOP", event };
      const folder = join(dir, ".workflow", ".loop", `${id}.progress`);
      mkdirSync(folder, { recursive: true });
      appendFileSync(join(folder, "agent.log"), `${JSON.stringify(line)}\n`);
      said.push(text);
    },
  };
}

function textOf({ event }: Activity): string {
  return event.type === "message.completed" ? event.text : event.type;
}

/** What one listener of a loop was told. */
interface Told {
  facts: Fact[];
  lines: string[];
  other: string[];
}

/** The server at one address that is killed and started again, and its clients, which end with the test. */
function hosting({ dir }: Project) {
  let up = Promise.withResolvers<Serving>();
  let port = "0";
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const failures: unknown[] = [];
  const { signal } = over;
  const failed = (error: unknown) => void failures.push(error);

  async function start(): Promise<Serving> {
    const server = await serving(dir, "--port", port);
    port = new URL(server.url).port;
    up.resolve(server);
    return server;
  }

  async function kill(): Promise<void> {
    const { kill: now } = await up.promise;
    up = Promise.withResolvers();
    await now();
  }

  function listen(id: string): Told {
    const told: Told = { facts: [], lines: [], other: [] };
    const path = `/api/loops/v2/${id}/events?after=0`;
    const source = { up: () => up.promise, path, signal };
    followStream(source, ({ event, data }) => {
      const { kind, index, recorded, activity } = JSON.parse(data);
      if (kind === "recorded") told.facts.push({ index, recorded });
      else if (kind === "activity") told.lines.push(textOf(activity));
      else told.other.push(event);
    }).catch(failed);
    return told;
  }

  /** All loops: by loop what is new to a client that drops what it has, and what came twice without a `resync`. */
  function listenToAll() {
    const facts = new Map<string, Fact[]>();
    const repeats: string[] = [];
    const resyncs: string[] = [];
    let resynced = false;
    let connections = 0;
    const source = { up: () => up.promise, path: "/api/events", signal };
    const take = (event: string, data: string) => {
      const { id, index, recorded, ...rest } = JSON.parse(data);
      if (event === "resync") {
        resynced = true;
        resyncs.push(rest.since);
        return;
      }
      const had = facts.get(id) ?? [];
      const last = had.at(-1);
      const isNew =
        !last ||
        recorded.revision > last.recorded.revision ||
        (recorded.revision === last.recorded.revision && index > last.index);
      if (isNew) facts.set(id, [...had, { index, recorded }]);
      else if (!resynced) repeats.push(data);
    };
    followStream(
      source,
      ({ event, data }) => take(event, data),
      () => {
        resynced = false;
        connections += 1;
      },
    ).catch(failed);
    return { facts, repeats, resyncs, connections: () => connections };
  }

  return { start, kill, listen, listenToAll, failures, failed, signal };
}

test("kill -9 under load: every client goes on where it was, without a gap or a repeat", async () => {
  await using here = await project(plan);
  writeIssue(here);
  const host = hosting(here);
  const settings = { agent: `scripted:${join(here.dir, "agent.json")}` };
  const { url, token, ask } = await host.start();
  const { signal } = host;

  const all = host.listenToAll();
  const typed = loopClient({ url, token, reconnect: { first: 20, most: 100 } });
  const changed: string[] = [];
  const follow = async <T>(values: AsyncIterable<T>, take: (value: T) => void) => {
    for await (const value of values) take(value);
  };
  follow(typed.changes(signal), (id) => changed.push(id)).catch(host.failed);
  await vi.waitFor(() => expect(all.connections()).toBe(1), PATIENCE);
  // The typed client's stream is open as soon as it tells of something.
  await ask("POST", "", { id: "first", title: "first", settings });
  await vi.waitFor(() => expect(changed).toContain("first"), PATIENCE);
  for (const id of IDS) await ask("POST", "", { id, title: id, settings });

  const told = IDS.flatMap((id) => [
    { id, told: host.listen(id) },
    { id, told: host.listen(id) },
  ]);
  for (const id of IDS) {
    const mine: Told = { facts: [], lines: [], other: [] };
    told.push({ id, told: mine });
    let before = { revision: 0, index: 0 };
    follow(typed.watch(id, { after: 0, signal }), (event) => {
      if (event.kind === "activity") mine.lines.push(textOf(event.activity));
      else {
        const { revision } = event.recorded;
        before = { revision, index: revision === before.revision ? before.index + 1 : 0 };
        mine.facts.push({ index: before.index, recorded: event.recorded });
      }
    }).catch(host.failed);
  }
  await vi.waitFor(() => {
    expect(told.map(({ told: { facts } }) => facts.length)).toEqual(told.map(() => 1));
  }, PATIENCE);

  const agent = agentOf(here, "a");
  const acknowledged = IDS.map((id) => ({ id, bounds: [] as number[], tasks: [] as string[] }));
  let bound = 100;
  for (let round = 0; round < KILLS; round++) {
    const { ask: to } = round === 0 ? { ask } : await host.start();
    let writes = 0;
    const writers = acknowledged.map(async ({ id, bounds, tasks }): Promise<never> => {
      for (;;) {
        bound += 1;
        const max_iterations = bound;
        await to("PUT", `/${id}`, { max_iterations });
        bounds.push(max_iterations);
        const added = await to("POST", `/${id}/import`, { issue_id: "issue-1" });
        tasks.push(...(added as unknown as { task_id: string }[]).map(({ task_id }) => task_id));
        writes += 2;
        agent.speak();
      }
    });
    const ended = Promise.allSettled(writers);
    const loaded = vi.waitFor(() => expect(writes).toBeGreaterThan(LOAD), PATIENCE);
    await Promise.race([loaded, ...writers]);
    await host.kill();
    await ended;
    agent.speak();
  }

  const { ask: last } = await host.start();
  for (const id of IDS) await last("PUT", `/${id}`, { notes: "the end" });
  agent.speak();

  for (const { id, bounds, tasks } of acknowledged) {
    const events = journalOf(here, id).map(({ recorded: { event } }) => event);
    const edits = events.flatMap((event) => {
      return event.type === "loop.edited" ? [event.changes.max_iterations] : [];
    });
    expect(edits).toEqual(expect.arrayContaining(bounds));
    const added = events.flatMap((event) => (event.type === "task.added" ? [event.task.id] : []));
    expect(added).toEqual(expect.arrayContaining(tasks));
  }
  await vi.waitFor(() => {
    for (const { id, told: one } of told) {
      expect(one.facts).toEqual(journalOf(here, id));
      expect(one.lines).toEqual(id === "a" ? agent.said : []);
      expect(one.other).toEqual([]);
    }
    for (const id of ["first", ...IDS]) {
      const journal = journalOf(here, id);
      expect(all.facts.get(id)).toEqual(journal);
      expect(changed.filter((one) => one === id).length).toBeGreaterThanOrEqual(journal.length);
    }
  }, PATIENCE);
  expect(all.repeats).toEqual([]);
  expect(all.resyncs).toEqual(Array.from({ length: KILLS }, () => expect.any(String)));
  expect(host.failures).toEqual([]);
});
