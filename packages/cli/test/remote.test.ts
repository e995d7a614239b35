import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeIo } from "./support/fake-io.ts";
import { hang, type Project, plan, project, write } from "./support/project.ts";
import { cli, finish } from "./support/run-cli.ts";
import { served, TOKEN } from "./support/served.ts";

const ENV = { CCW_LOOP_TOKEN: TOKEN };
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

describe("commands over --url", () => {
  let here: Project;
  let server: Awaited<ReturnType<typeof served>>;

  beforeAll(async () => {
    here = await project(plan, write("42"));
    server = await served(here, { drives: false });
    await here.cli("run", "find it", "--loop-id", "done", "--create", "--auto", ...here.flags);
  });
  afterAll(async () => {
    await server.close();
    await here[Symbol.asyncDispose]();
  });

  /** What the command line says of a loop there; where it lies and is asked for is told as if it lay here. */
  const remote = async (...args: string[]) => {
    const said = await cli(here.dir, [...args, "--url", server.url], ENV);
    const folder = `${here.dir}/.workflow/.loop/`;
    const place = new RegExp(`${server.url}/api/loops/v2/([\\w-]+)`, "g");
    const asked = (text: string) => text.replaceAll(`ccw-loop --url ${server.url} `, "ccw-loop ");
    const out = asked(said.out).replaceAll(place, `${folder}$1.json`);
    return { ...said, out, err: asked(said.err) };
  };

  describe("prints what it prints locally", () => {
    // Lists tell how long ago something was.
    beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 }));
    afterEach(() => void vi.useRealTimers());

    test.each([
      "list",
      "list --json",
      "list --status completed --search FIND",
      "list --tag none",
      "show done",
      "show done --receipt",
      "show done --json",
      "why done",
      "why done --json",
      "timeline done",
      "timeline done --json",
      "diff done",
      "diff done 0..1 --stat",
      "logs done",
      "logs done --raw",
      "tasks list done",
      "tasks list done --json",
      "watch done",
      "recover done",
      "clean --dry-run",
      "show none",
      "show ../none --json",
      "pause done",
      "resume done --no-run",
      "rewind done 99",
      "run --loop-id done --auto",
    ])("%s", async (line) => {
      const words = line.split(" ");
      expect(await remote(...words)).toEqual(await here.cli(...words));
    });
  });

  test.each([
    [["start", "again", "--auto", "--agent", "scripted:agent.json"], []],
    [["pause"], ["--reason", "lunch"]],
    [["resume"], ["--no-run", "--auto"]],
    [
      ["tasks", "add"],
      ["one more", "--task-id", "more"],
    ],
    [
      ["tasks", "edit"],
      ["more", "--description", "another"],
    ],
    [["tasks", "reorder"], ["more"]],
    [["tasks", "remove"], ["more"]],
    [["stop"], ["--json"]],
    [["delete"], ["--yes"]],
  ])("%j do the same, and say it in the same words", async (command, rest) => {
    const words = (id: string) =>
      command[0] === "start" ? [...command, "--loop-id", id] : [...command, id, ...rest];
    const plain = (text: string) =>
      text.replaceAll(/\btwin-[lr]\b/g, "twin").replaceAll(TIMES, "T");
    const local = await here.cli(...words("twin-l"));
    const far = await remote(...words("twin-r"));
    expect({ ...far, out: plain(far.out) }).toEqual({ ...local, out: plain(local.out) });
    expect(local.code).toBe(0);
  });

  describe("names commands that ask there, too", () => {
    const url = () => server.url;
    const there = (...args: string[]) => cli(here.dir, [...args, "--url", url()], ENV);
    /** Commands that would look for the loops here; those of a title or a reason are somebody else's words. */
    const astray = ({ out, err }: { out: string; err: string }) =>
      [...`${out}\n${err}`.matchAll(/(?<!SAID: )ccw-loop (?!supervise|--url)[a-z]+.*/g)].map(
        String,
      );

    test.each([
      ["start", "SAID: ccw-loop list", "--loop-id", "told", "--agent", "scripted:agent.json"],
      ["show", "told"],
      ["timeline", "told"],
      ["resume", "told", "--no-run"],
      ["pause", "told", "--reason", "SAID: ccw-loop list"],
      ["show", "done"],
      ["recover", "done"],
      ["watch", "done"],
      ["list"],
      ["list", "--tag", "none"],
      ["stop", "told", "--reason", "SAID: ccw-loop list"],
      ["show", "told"],
      ["why", "told"],
      ["watch", "told"],
    ])("%j", async (...words) => {
      const said = await there(...words);
      expect(said.out).not.toBe("");
      expect(astray(said)).toEqual([]);
      expect(said.out).not.toContain("SAID: ccw-loop --url");
    });

    test("where a bound has ended the loop", async () => {
      const name = ["--loop-id", "short", "--create"];
      const flags = [...here.flags, "--auto", "--max-iterations", "1"];
      expect((await here.cli("run", "find it", ...name, ...flags)).code).toBe(3);
      for (const command of ["show", "why", "watch"]) {
        const said = await there(command, "short");
        expect(said.out).toContain(`Go on with: ccw-loop --url ${url()} resume short --reopen`);
        expect(astray(said)).toEqual([]);
      }
    });

    test("where there is no loop yet", async () => {
      await using none = await project(plan);
      const empty = await served(none, { drives: false });
      const said = await cli(none.dir, ["list", "--url", empty.url], ENV);
      await empty.close();
      expect(said.out).toContain(`Start one with: ccw-loop --url ${empty.url} run --auto`);
    });

    test("in JSON", async () => {
      const { data } = JSON.parse((await there("watch", "done", "--json")).out);
      expect(data.next).toEqual([
        `ccw-loop --url ${url()} show done --receipt`,
        `ccw-loop --url ${url()} logs done`,
      ]);
      const refused = await there("run", "--loop-id", "done", "--auto", "--json");
      expect(JSON.parse(refused.out).error.message).toContain(`ccw-loop --url ${url()} tasks`);
    });

    test("never the token; nothing where CCW_LOOP_URL says it already", async () => {
      expect((await there("show", "done")).out).not.toContain(TOKEN);
      const env = { ...ENV, CCW_LOOP_URL: url() };
      expect((await cli(here.dir, ["show", "done"], env)).out).toContain("ccw-loop logs done");
    });
  });

  test.each([
    ["POST", "", { title: "never", settings: { agent: "foo" } }],
    ["PUT", "/done", { settings: { agent: "foo" } }],
  ])("%s%s refuses an agent that is not there, as the flag does", async (method, path, body) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const address = `${server.url}/api/loops/v2${path}`;
    const answer = await fetch(address, { method, headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error:
        'settings.agent cannot be "foo": no such agent is registered; use codex, gemini, qwen, claude, opencode, copilot, codex-acp or scripted:FILE.',
      details: { fields: ["settings.agent"] },
    });
    expect((await here.cli("list", "--search", "never", "--json")).out).toContain('"total": 0');
  });

  test("a server that drives nothing does not begin a run", async () => {
    const task = ["run", "try it", "--loop-id", "idle", "--create", "--auto"];
    const ran = await remote(...task, ...here.flags);
    expect(ran).toMatchObject({ code: 5, err: expect.stringContaining("Nobody drives loops at") });
    expect((await here.cli("show", "idle")).out).toContain("created");
  });
});

describe("driving over --url", () => {
  test("run follows the loop to its end, and Ctrl-C pauses it there", async () => {
    await using there = await project(plan, hang, write("42"));
    const server = await served(there, { drives: true });
    try {
      const env = { CCW_LOOP_TOKEN: TOKEN, CCW_LOOP_URL: server.url };
      const io = fakeIo({ cwd: there.dir, env });
      const task = ["run", "find it", "--loop-id", "far", "--create", "--auto"];
      const run = finish(io, [...task, ...there.flags]);
      await vi.waitFor(() => expect(io.err()).toContain("echo thinking"), 20_000);
      io.signal("SIGINT");
      expect((await run).code).toBe(130);
      expect((await there.cli("show", "far")).out).toContain("paused");
      const resumed = await cli(there.dir, ["resume", "far", "--auto"], env);
      expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining("completed") });
    } finally {
      await server.close();
    }
  });
});
