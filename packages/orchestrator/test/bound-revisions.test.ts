import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLoopError, type LoopService } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { bench, journal, plan, write } from "./support.ts";
import { testsThat } from "./tests-that.ts";

const ID = "a";
const more = {
  action: "INIT",
  answer: { state_updates: { tasks: [{ description: "one more" }] } },
};

/** What commits to the loop itself, or ends it. Its first read may be the last thing that it does at that revision. */
const ACTS: Record<string, (service: LoopService, revision: number) => Promise<unknown>> = {
  send: (service, revision) => service.send(ID, { type: "resume", reopen: true }, { revision }),
  importTasks: (service, revision) => service.importTasks(ID, "ISS-1", { revision }),
  generateTasks: (service, revision) => service.generateTasks(ID, { revision }),
  rewind: (service, revision) => service.rewind(ID, 1, { revision }),
  delete: (service, revision) => service.delete(ID, { revision }),
};

/** A loop that has ended, in a project with an issue. */
async function ended() {
  const turns = [plan("one"), write("a.js", "1"), more];
  const b = bench(turns, testsThat({ x: "passed" }));
  const folder = join(b.dir, ".workflow", "issues", "solutions");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "..", "issues.jsonl"), JSON.stringify({ id: "ISS-1" }));
  writeFileSync(join(folder, "ISS-1.jsonl"), JSON.stringify({ tasks: [{ title: "fix it" }] }));
  await b.start({ id: ID });
  await b.service.run(ID);
  const task = { id: "more", description: "more" };
  const open = { ...task, tool: "codex", mode: "write", status: "pending" } as const;
  const times = { files_changed: [], created_at: null, completed_at: null };
  const { revision = 0 } = await b.service.send(ID, {
    type: "add_task",
    task: { ...open, ...times },
  });
  return { ...b, revision };
}

test.each(Object.entries(ACTS))(
  "%s that is bound to a revision loses against a change behind any of its reads",
  async (_, act) => {
    let conflicts = 0;
    for (let nth = 1; ; nth++) {
      const { service, store, revision } = await ended();
      const { read } = store;
      let reads = 0;
      let changed: number | undefined;
      store.read = async (id) => {
        const stored = await read(id);
        reads += 1;
        if (reads === nth) {
          const event = { type: "loop.edited" as const, at: "2026-01-22T10:00:00Z" };
          const edit = [{ ...event, changes: { notes: "acknowledged" } }];
          const made = await store.append(id, stored.revision, edit, { actor: "other" });
          changed = made.revision;
        }
        return stored;
      };
      const outcome = await act(service, revision).then(
        () => "done",
        (error: unknown) => (isLoopError(error) ? error.code : String(error)),
      );
      store.read = read;
      if (changed === undefined) {
        expect(outcome).toBe("done");
        break;
      }
      // Behind its own commit it may read as often as it likes.
      if (outcome === "done") expect(changed).toBeGreaterThan(revision + 1);
      else {
        conflicts += 1;
        expect(outcome).toBe("revision_conflict");
        expect((await service.get(ID)).notes).toBe("acknowledged");
        const since = (await journal(store, ID)).filter((one) => one.revision > revision);
        expect(since.map(({ event }) => event.type)).toEqual(["loop.edited"]);
      }
      expect(nth).toBeLessThan(20);
    }
    expect(conflicts).toBeGreaterThan(0);
  },
);
