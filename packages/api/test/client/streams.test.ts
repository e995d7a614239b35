import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Activity, LiveEvent, LoopService } from "@ccw-loop/core";
import { folderWorkspace, memoryStore, sampleVerification, scriptedAgent } from "@ccw-loop/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { loopClient } from "../../src/client/index.ts";
import { hosted, TOKEN } from "./hosted.ts";
import { onWire } from "./socket.ts";

const TURNS = [
  {
    action: "INIT",
    answer: { state_updates: { tasks: [{ description: "one" }] } },
  },
  {
    action: "DEVELOP",
    steps: [
      { say: "thinking" },
      { expect_steer: "go on" },
      { write: { path: "a.js", content: "1" } },
    ],
    answer: { state_updates: { summary: "wrote a.js" } },
  },
];

const QUICK = { first: 5, most: 20, giveUp: 2000, silence: 60_000 };

/** A client on a real socket, and loop `a` behind it. */
async function remote({ drives = false, reconnect = QUICK } = {}) {
  const cwd = await mkdtemp(join(tmpdir(), "ccw-api-client-"));
  const store = memoryStore();
  const agent = scriptedAgent({ script: { turns: TURNS }, pace: 0 });
  const workspace = folderWorkspace(cwd);
  const plan = { command: "t", source: "given", parts: [{ command: "t", report: "junit" }] };
  const { app, service, close } = hosted(
    {
      store,
      cwd,
      agent: async () => agent,
      workspace: async () => workspace,
      verifier: {
        detect: async () => plan,
        check: async () => [],
        missing: async () => [],
        surroundings: async (_cwd, since) => ({ since, newer: [], changed: false }),
        probe: async () => ({ exit_code: 0, duration_ms: 1, output: "", timed_out: false }),
        verify: async () => sampleVerification(true),
      },
    },
    drives,
  );
  const wire = await onWire(app);
  onTestFinished(async () => {
    await close();
    await wire.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const client = loopClient({ url: wire.url, token: TOKEN, reconnect });
  await service.create({
    id: "a",
    description: "x",
    settings: { mode: "auto", flaky_reruns: 0, expect: "unchanged" },
  });
  return { client, local: service, store, wire };
}

const note = (service: LoopService, notes: string) =>
  service.send("a", { type: "edit", changes: { notes } });

const notesIn = (seen: readonly LiveEvent[]) =>
  seen.flatMap((live) =>
    live.kind === "recorded" && live.recorded.event.type === "loop.edited"
      ? [live.recorded.event.changes.notes]
      : [],
  );

function gather<T>(open: (signal: AbortSignal) => AsyncIterable<T>) {
  const abort = new AbortController();
  const seen: T[] = [];
  const ended = (async () => {
    for await (const item of open(abort.signal)) seen.push(item);
  })();
  ended.catch(() => undefined);
  onTestFinished(() => abort.abort());
  return { seen, ended, stop: () => abort.abort() };
}

test("a watch over a connection that breaks again and again misses nothing and repeats nothing", async () => {
  const { client, local, wire, store } = await remote();
  const at = new Date().toISOString();
  const { seen, ended, stop } = gather((signal) =>
    client.watch("a", { after: 1, since: at, signal }),
  );
  const expected = Array.from({ length: 60 }, (_, n) => `${n}`);
  for (const n of expected) {
    await note(local, n);
    const event = { type: "message.delta", text: n } as const;
    await store.appendLog("a", [{ at, action: "DEVELOP", event } satisfies Activity]);
    if (Number(n) % 10 === 3) {
      await vi.waitFor(() => expect(notesIn(seen)).toContain(n), 10_000);
      wire.cut();
    }
    if (n === "44") wire.down(true);
    if (n === "50") wire.down(false);
  }
  await vi.waitFor(() => expect(notesIn(seen)).toHaveLength(60), 10_000);
  expect(notesIn(seen)).toEqual(expected);
  const texts = () =>
    seen.flatMap((live) => (live.kind === "activity" ? [live.activity.event] : []));
  await vi.waitFor(() => expect(texts()).toHaveLength(60), 10_000);
  expect(texts().map((event) => "text" in event && event.text)).toEqual(expected);
  expect(wire.connections()).toBeGreaterThan(3);
  stop();
  await ended;
});

test("changes over a broken connection are told in the end", async () => {
  const { client, local, wire } = await remote();
  const { seen } = gather((signal) => client.changes(signal));
  await vi.waitFor(async () => {
    await note(local, "before");
    expect(seen).toContain("a");
  });
  wire.down(true);
  await local.create({ id: "b", description: "y" });
  wire.down(false);
  await vi.waitFor(() => expect(seen).toContain("b"), 10_000);
});

test("a run goes on over a broken connection, and tells every fact once", async () => {
  const { client, local, wire } = await remote({ drives: true });
  const seen: LiveEvent[] = [];
  const run = client.run("a", { onEvent: (live) => void seen.push(live) });
  await vi.waitFor(() => expect(JSON.stringify(seen)).toContain("thinking"), 10_000);
  wire.cut();
  await vi.waitFor(() => local.steer("a", "go on"), 10_000);
  expect((await run).status).toBe("completed");
  const facts = seen.flatMap((live) => (live.kind === "recorded" ? [live.recorded] : []));
  expect(facts).toEqual(await Array.fromAsync(local.events("a", 1)));
});

test("a stream that cannot come back says so", async () => {
  const { client, wire } = await remote({ reconnect: { ...QUICK, giveUp: 50 } });
  const { ended } = gather((signal) => client.watch("a", { after: 0, signal }));
  await vi.waitFor(() => expect(wire.connections()).toBeGreaterThan(0));
  wire.down(true);
  await expect(ended).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining(`${wire.url} cannot be reached`),
  });
});

test("a stream that falls silent is opened anew", async () => {
  const { client, local, wire } = await remote({ reconnect: { ...QUICK, silence: 100 } });
  const { seen } = gather((signal) => client.watch("a", { after: 1, signal }));
  await vi.waitFor(() => expect(wire.connections()).toBeGreaterThan(2), 10_000);
  await note(local, "still there");
  await vi.waitFor(() => expect(notesIn(seen)).toEqual(["still there"]), 10_000);
});

test("a stream ends when its loop is deleted", async () => {
  const { client, local } = await remote();
  const { seen, ended } = gather((signal) => client.watch("a", { after: 0, signal }));
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  await local.delete("a");
  await expect(ended).rejects.toMatchObject({ code: "loop_not_found" });
});

test("a request whose connection broke before the answer happens once", async () => {
  const { local, wire } = await remote();
  let sent = 0;
  const breaking = async (request: Request) => {
    sent += 1;
    const response = await fetch(request);
    if (sent === 1) throw new TypeError("terminated");
    return response;
  };
  const client = loopClient({ url: wire.url, token: TOKEN, fetch: breaking });
  expect((await note(client, "once")).revision).toBe(2);
  expect(sent).toBe(2);
  expect((await local.get("a")).revision).toBe(2);
});
