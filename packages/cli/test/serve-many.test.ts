import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { database } from "./support/database.ts";
import { followStream, type Message } from "./support/event-stream.ts";
import { fakeIo } from "./support/fake-io.ts";
import { emptyFolder } from "./support/folder.ts";
import { hang, plan, project, write } from "./support/project.ts";
import { cli, finish } from "./support/run-cli.ts";
import { listeningAt, TOKEN } from "./support/served.ts";

const PATIENCE = { timeout: 30_000, interval: 10 };
const db = database();

/** `serve` in an empty folder of a machine of its own: it has the database and the token, and nothing of the project. */
async function serving(store: string) {
  const cwd = emptyFolder();
  const io = fakeIo({ cwd, env: { CCW_LOOP_STORE: store, CCW_LOOP_SERVE_TOKEN: TOKEN } });
  const served = finish(io, ["serve", "--port", "0", "--no-drive"]);
  const url = await listeningAt(io);
  const close = async () => {
    io.signal("SIGTERM");
    return served;
  };
  onTestFinished(async () => void (await close()));
  const ask = (path: string, { as = TOKEN, ...init }: RequestInit & { as?: string } = {}) =>
    fetch(url + path, {
      ...init,
      headers: as ? { authorization: `Bearer ${as}`, "content-type": "application/json" } : {},
    });
  return { url, ask, close };
}

test("many servers of one database are one: streams go on at another, tickets are taken by each, a pause reaches the driver", {
  tags: ["slow"],
}, async () => {
  const { whole } = db.place();
  const env = { CCW_LOOP_STORE: whole };
  await cli("/", ["store", "migrate"], env);
  await using here = await project(plan, hang, write("42"));
  await cli(here.dir, ["start", "x", "--auto", ...here.flags, "--loop-id", "a"], env);
  const driver = here.io({ env });
  const driven = finish(driver, ["supervise", "--events"]);
  const [one, two] = await Promise.all([serving(whole), serving(whole)]);

  for (const { ask } of [one, two]) {
    expect((await ask("/api/health", { as: "" })).status).toBe(200);
    expect(await (await ask("/api/ready", { as: "" })).json()).toMatchObject({
      data: { drives: false },
    });
    expect((await ask("/metrics", { as: "" })).status).toBe(401);
  }
  const { data } = (await (await one.ask("/api/tickets", { method: "POST" })).json()) as {
    data: { ticket: string };
  };
  const stop = new AbortController();
  const { signal } = stop;
  const opened = await two.ask(`/api/events?ticket=${data.ticket}`, { as: "", signal });
  expect(opened.status).toBe(200);

  // No agent is where the servers are: the machine that drives a loop looks whether its own works.
  const body = JSON.stringify({
    description: "y",
    settings: { agent: "scripted:/nowhere.json", mode: "auto" },
  });
  const made = await two.ask("/api/loops/v2", { method: "POST", body });
  expect(made.status, await made.text()).toBe(201);

  // A balancer that knows the first server, and the second one when that is gone.
  const messages: Message[] = [];
  const connections: (string | undefined)[] = [];
  const followed = followStream(
    {
      up: async () => ({ url: connections.length === 0 ? one.url : two.url, token: TOKEN }),
      path: "/api/loops/v2/a/events?after=0",
      signal,
    },
    (message) => messages.push(message),
    (lastId) => connections.push(lastId),
  );
  const said = (text: string) => () =>
    expect(messages.map(({ data }) => data).join()).toContain(text);
  await vi.waitFor(said("echo thinking"), PATIENCE);
  const metrics = async () => (await two.ask("/metrics")).text();
  await vi.waitFor(
    async () => expect(await metrics()).toContain('ccw_loop_running_loops{state="driven"} 1\n'),
    PATIENCE,
  );
  expect(await metrics()).toContain("ccw_loop_takeovers_total 0\n");

  await one.close();
  expect((await two.ask("/api/loops/v2/a/pause", { method: "POST" })).status).toBe(200);
  await vi.waitFor(() => expect(driver.out()).toContain('"loop.given_back"'), PATIENCE);
  await vi.waitFor(said("loop.paused"), PATIENCE);
  await vi.waitFor(said("action.interrupted"), PATIENCE);
  stop.abort();
  await followed;
  driver.signal("SIGTERM");
  expect((await driven).code).toBe(0);

  // Behind the place where the first one left off, without gap or repeat.
  expect(connections).toHaveLength(2);
  expect(connections[1]).toBeDefined();
  const recorded = messages
    .map(({ data }) => JSON.parse(data))
    .filter((one) => one.kind === "recorded");
  const history = await cli("/", ["export", "a", join(here.dir, "a.jsonl")], env);
  expect(history.code, history.err).toBe(0);
  const places = recorded.map((one) => `${one.recorded.revision}.${one.index}`);
  expect(new Set(places).size).toBe(places.length);
  const revisions = recorded.map((one) => one.recorded.revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect([...new Set(revisions)]).toEqual(
    Array.from({ length: revisions.at(-1) }, (_, at) => at + 1),
  );
  const records = messages
    .map(({ data }) => JSON.parse(data))
    .filter((one) => one.kind === "activity");
  const seqs = records.map((one) => one.activity.seq);
  expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, at) => at + 1));
});
