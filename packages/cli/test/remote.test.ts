import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fakeIo } from "./support/fake-io.ts";
import { hang, type Project, plan, project, write } from "./support/project.ts";
import { cli, finish } from "./support/run-cli.ts";
import { served, TOKEN } from "./support/served.ts";

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
    const said = await cli(here.dir, [...args, "--url", server.url], { CCW_LOOP_TOKEN: TOKEN });
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
    [["start", "again", "--auto"], []],
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

  test("a server that drives nothing does not begin a run", async () => {
    const ran = await remote(
      "run",
      "try it",
      "--loop-id",
      "idle",
      "--create",
      "--auto",
      ...here.flags,
    );
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
      const run = finish(io, [
        "run",
        "find it",
        "--loop-id",
        "far",
        "--create",
        "--auto",
        ...there.flags,
      ]);
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
