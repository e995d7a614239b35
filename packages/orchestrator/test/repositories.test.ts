/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LiveEvent, LoopRepository, LoopStore, Verifier } from "@ccw-loop/core";
import { type GitServer, gitServer, memoryStore, scriptedAgent, tempRepo } from "@ccw-loop/testkit";
import { gitRepositories, openWorkspace } from "@ccw-loop/workspace-git";
import { expect, onTestFinished, test, vi } from "vitest";
import { type LoopServiceOptions, loopService } from "../src/index.ts";
import {
  actions,
  eventsOf,
  journal,
  plan,
  project,
  type Turns,
  verifierThat,
  write,
} from "./support.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A git server with one repository, and a store that machines share. */
interface Fleet {
  server: GitServer;
  repository: LoopRepository;
  store: LoopStore;
  /** A machine with a project folder, clones and an agent of its own. */
  machine(turns: Turns, changes?: Partial<LoopServiceOptions>): ReturnType<typeof loopService>;
  /** What git says in the server's repository. */
  git(...args: string[]): string;
}

async function fleet(): Promise<Fleet> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ccw-git-server-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const work = await tempRepo({ "b.js": "0", ".gitignore": "modules\n" });
  onTestFinished(work.remove);
  const bare = join(root, "shop.git");
  execFileSync("git", ["clone", "--quiet", "--bare", work.path, bare]);
  const server = await gitServer({ root });
  onTestFinished(() => server.stop());
  const store = memoryStore();
  return {
    server,
    store,
    repository: { url: `${server.url}/shop.git` },
    git: (...args) => execFileSync("git", args, { cwd: bare, encoding: "utf8" }).trim(),
    machine(turns, changes = {}) {
      const cwd = project();
      const agent = scriptedAgent({ script: { turns } });
      return loopService({
        store,
        agent: async () => agent,
        verifier: verifierThat("pass"),
        workspace: openWorkspace,
        repositories: gitRepositories({ cache: join(cwd, "cache") }),
        cwd,
        random: () => 0.5,
        ...changes,
      });
    },
  };
}

const settings = { mode: "auto", flaky_reruns: 0, expect: "unchanged" } as const;
const hang: Turns[number] = { action: "DEVELOP", steps: [{ say: "thinking" }, { hang: true }] };

/** Aborts when the agent of that loop says this. */
function at(text: string, abort: AbortController) {
  return (event: LiveEvent) => {
    const said = event.kind === "activity" ? event.activity.event : undefined;
    if (said?.type === "message.completed" && said.text.includes(text)) abort.abort("drained");
  };
}

test("a loop that one machine gave back in the middle of an action is proven on another one", async () => {
  const { store, repository, machine, git } = await fleet();
  const drain = new AbortController();
  const first = machine([plan("one", "two"), write("a.js", "1"), hang]);
  const { loop_id: id } = await first.create({
    id: "a",
    description: "x",
    settings: { ...settings, repository },
  });
  const onEvent = at("thinking", drain);
  await first.run(id, { signal: drain.signal, onAbort: "release", onEvent });
  const before = await first.get(id);
  expect(before.status).toBe("running");
  expect(before.action?.name).toBe("DEVELOP");

  let prompt = "";
  const second = machine([write("b.js", "2")]);
  const after = await second.run(id, {
    onEvent(event) {
      const sent = event.kind === "activity" ? event.activity.event : undefined;
      if (sent?.type === "prompt.sent") prompt ||= sent.text;
    },
  });
  expect(after).toMatchObject({ status: "completed", outcome: { code: "proven" } });
  expect((await actions(store, id)).join(" ")).toBe(
    "INIT DEVELOP DEVELOP(interrupted) DEVELOP VALIDATE(pass) COMPLETE",
  );
  expect(git("show", "ccw-loop/a:a.js")).toBe("1");
  expect(git("show", "ccw-loop/a:b.js")).toBe("2");
  // Every checkpoint that the state names can be fetched.
  for (const { commit } of after.checkpoints ?? [])
    expect(git("cat-file", "-t", commit)).toBe("commit");
  const moves = (await journal(store, id)).filter(({ event }) => event.type === "worktree.made");
  expect(moves).toHaveLength(2);
  expect(after.workspace?.path).not.toBe(before.workspace?.path);
  // The agent is told that its conversation is another one, and where it reads what was done.
  expect(after.agent?.session_id).not.toBe(before.agent?.session_id);
  expect(prompt).toContain("This is a new conversation");
  expect(prompt).toContain(join(after.workspace?.path ?? "", ".workflow/.loop/a.progress"));
});

test("the setup command runs once in each clone, for the files of the start and for those of now", async () => {
  const { store, repository, machine, git } = await fleet();
  const ran: { command: string; files: string }[] = [];
  const installs: Verifier = {
    ...verifierThat("pass"),
    async probe(command, { cwd }) {
      const files = execFileSync("ls", { cwd, encoding: "utf8" }).trim().split("\n").join(" ");
      ran.push({ command, files });
      execFileSync("sh", ["-c", command], { cwd });
      return { exit_code: 0, duration_ms: 1, output: "", timed_out: false };
    },
  };
  const drain = new AbortController();
  const setup = "mkdir -p modules && echo 1 > modules/x && echo changed > b.js";
  const first = machine([plan("one", "two"), write("a.js", "1"), hang], { verifier: installs });
  await first.create({
    id: "a",
    description: "x",
    settings: { ...settings, repository: { ...repository, setup } },
  });
  const onEvent = at("thinking", drain);
  await first.run("a", { signal: drain.signal, onAbort: "release", onEvent });
  expect(ran.map(({ files }) => files)).toEqual(["b.js"]);
  const second = machine([write("c.js", "2")], { verifier: installs });
  expect((await second.run("a")).status).toBe("completed");
  expect(ran.slice(1).map(({ files }) => files)).toEqual(["b.js", "a.js b.js modules"]);
  // What setup changed belongs to the start, and to nothing that the loop did later.
  expect(git("show", "ccw-loop/a:b.js")).toBe("changed");
  const events = (await journal(store, "a")).map(({ event }) => event);
  expect(events.filter(({ type }) => type === "workspace.changed")).toEqual([]);
  for (const event of events) {
    if (event.type === "worktree.made") expect(event.setup?.command).toBe(setup);
  }
});

test("a git server that goes away in the middle of an action is waited for, and told", async () => {
  const { server, repository, machine, git } = await fleet();
  const service = machine([
    plan("one"),
    { ...write("a.js", "1"), steps: [{ say: "away" }, { write: { path: "a.js", content: "1" } }] },
  ]);
  await service.create({ id: "a", description: "x", settings: { ...settings, repository } });
  const warnings: string[] = [];
  let stopped: Promise<void> | undefined;
  const state = await service.run("a", {
    onEvent(event) {
      if (event.kind !== "activity") return;
      const { event: said } = event.activity;
      if (said.type === "message.completed" && said.text === "away") stopped = server.stop();
      if (said.type !== "warning.raised") return;
      warnings.push(said.message);
      void stopped?.then(() => server.start());
    },
  });
  expect(state.status).toBe("completed");
  expect(warnings).toEqual([expect.stringContaining(`The git server of ${repository.url} cannot`)]);
  expect(git("show", "ccw-loop/a:a.js")).toBe("1");
});

test("while the server is away no action is begun; a pause ends the wait of one", async () => {
  const { server, store, repository, machine } = await fleet();
  const service = machine([
    plan("one"),
    { ...write("a.js", "1"), steps: [{ say: "away" }, { write: { path: "a.js", content: "1" } }] },
  ]);
  await service.create({ id: "a", description: "x", settings: { ...settings, repository } });
  let stopped: Promise<void> | undefined;
  const paused = await service.run("a", {
    onEvent(event) {
      if (event.kind !== "activity") return;
      const { event: said } = event.activity;
      if (said.type === "message.completed" && said.text === "away") stopped = server.stop();
      if (said.type === "warning.raised") void service.send("a", { type: "pause" });
    },
  });
  await stopped;
  expect(paused.status).toBe("paused");
  await expect(service.run("a")).rejects.toMatchObject({ code: "repository_unavailable" });
  expect(await actions(store, "a")).toEqual(["INIT", "DEVELOP(interrupted)"]);
  expect(await store.ownerOf("a")).toBeNull();
});

test("what a person has to mend pauses the loop, also for a supervisor", async () => {
  const { store, repository, machine } = await fleet();
  const service = machine([plan("one")]);
  const wrong = { ...repository, ref: "nowhere" };
  await service.create({ id: "a", description: "x", settings: { ...settings, repository: wrong } });
  await service.send("a", { type: "start" });
  const over = new AbortController();
  const supervised = service.supervise({ signal: over.signal });
  await vi.waitFor(async () => expect((await service.get("a")).status).toBe("paused"), 30_000);
  over.abort();
  await supervised;
  const reasons = (await eventsOf(store, "a", "loop.paused")).map((event) => event.reason);
  expect(reasons).toEqual([expect.stringContaining("no branch, tag or commit named nowhere")]);
  // Mended before anything was cloned, it may be another place.
  const right = { type: "edit", changes: { settings: { repository } } } as const;
  await service.send("a", right);
});

test("a loop that has begun keeps its repository; one with a repository has no worktree", async () => {
  const { repository, machine } = await fleet();
  const service = machine([plan("one"), write("a.js", "1")]);
  const spec = { id: "a", description: "x", settings: { ...settings, repository } };
  await expect(service.create({ ...spec, worktree: true })).rejects.toMatchObject({
    code: "invalid_input",
  });
  await service.create(spec);
  await service.run("a");
  const elsewhere = { ...repository, url: "https://example.org/other.git" };
  const edit = { type: "edit", changes: { settings: { repository: elsewhere } } } as const;
  await expect(service.send("a", edit)).rejects.toMatchObject({ code: "invalid_transition" });
});
