import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tokenFor } from "../src/runtime/remote.ts";
import { type Project, plan, project } from "./support/project.ts";
import { cli } from "./support/run-cli.ts";
import { deadUrl, served, TOKEN } from "./support/served.ts";

describe("who may ask over --url, and where", () => {
  let here: Project;
  let server: Awaited<ReturnType<typeof served>>;
  let elsewhere: string;

  beforeAll(async () => {
    here = await project(plan);
    server = await served(here, { drives: false });
    elsewhere = await mkdtemp(join(tmpdir(), "ccw-cli-remote-"));
    await here.cli("start", "find it", "--loop-id", "known", "--auto", ...here.flags);
  });
  afterAll(async () => {
    await server.close();
    await here[Symbol.asyncDispose]();
    await rm(elsewhere, { recursive: true });
  });

  const remote = (...args: string[]) =>
    cli(here.dir, [...args, "--url", server.url], { CCW_LOOP_TOKEN: TOKEN });

  test("an address with a path, from the environment and from anywhere", async () => {
    const env = { CCW_LOOP_URL: `${server.url}/projects/shop/`, CCW_LOOP_TOKEN: TOKEN };
    expect((await cli(elsewhere, ["list"], env)).out).toContain("known");
    const other = { ...env, CCW_LOOP_URL: `${server.url}/projects/none` };
    expect(await cli(elsewhere, ["list"], other)).toMatchObject({ code: 5, out: "" });
  });

  test("the token comes from --token-file, else the environment, else the user's file", async () => {
    const config = join(elsewhere, "config");
    await mkdir(join(config, "ccw-loop"), { recursive: true });
    await writeFile(join(config, "ccw-loop", "token"), `${TOKEN}\n`);
    await writeFile(join(elsewhere, "wrong"), "b-token-for-tests-with-32-characters");
    await writeFile(join(elsewhere, "empty"), "\n");
    const list = (args: string[], env: Record<string, string>) =>
      cli(elsewhere, ["list", "--url", server.url, ...args], env);
    const user = { XDG_CONFIG_HOME: config };
    expect((await list([], user)).code).toBe(0);
    expect((await list([], { ...user, CCW_LOOP_TOKEN: "wrong" })).err).toContain("wants the token");
    const broken = await list([], { CCW_LOOP_TOKEN: "half\nother-half" });
    expect(broken.err).toContain("CCW_LOOP_TOKEN holds no token");
    expect(broken.err).not.toContain("half");
    expect((await list(["--token-file", "wrong"], user)).code).toBe(2);
    expect((await list(["--token-file", "empty"], user)).err).toContain("holds no token");
    expect((await list(["--token-file", "gone"], user)).err).toContain("cannot be read");
    expect((await list([], {})).err).toContain("--token-file FILE or in CCW_LOOP_TOKEN");
  });

  test("a token never goes in the clear to another machine, and the user's never to any other", async () => {
    const url = "http://a.example";
    const given = ["list", "--url", url];
    expect(await cli(elsewhere, given, { CCW_LOOP_TOKEN: TOKEN })).toMatchObject({
      code: 2,
      err: expect.stringContaining("everybody on the way there could read the token"),
    });
    const user = { env: { XDG_CONFIG_HOME: join(elsewhere, "config") }, cwd: elsewhere };
    const place = { tokenFile: undefined, insecureHttp: false };
    expect(await tokenFor({ ...place, url: "https://a.example" }, user)).toBeUndefined();
    expect(await tokenFor({ ...place, url: "http://127.0.0.1:1" }, user)).toBe(TOKEN);
  });

  test("the next step that an error names asks there, too", async () => {
    const env = { CCW_LOOP_TOKEN: TOKEN };
    const refused = await remote("delete", "known", "--yes");
    expect(refused).toMatchObject({ code: 6, out: "" });
    const [, step = ""] = /Pause it first: ccw-loop (.*)/.exec(refused.err) ?? [];
    expect(step).toBe(`--url ${server.url} pause known`);
    expect((await remote("show", "nobody")).err).toContain(
      `See the loops of this project with: ccw-loop --url ${server.url} list\n`,
    );
    // Where the environment says it, the command needs not.
    const args = ["delete", "known", "--yes"];
    const byEnv = await cli(elsewhere, args, { ...env, CCW_LOOP_URL: server.url });
    expect(byEnv.err).toContain("Pause it first: ccw-loop pause known\n");
    expect((await cli(elsewhere, step.split(" "), env)).code).toBe(0);
  });

  test.each([[["serve"]], [["supervise"]], [["doctor"]], [["demo"]], [["config", "show"]]])(
    "%j is about this machine",
    async (args) => {
      expect(await remote(...args)).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining(
          `${args.join(" ")} is not available over --url; run it on that machine.`,
        ),
      });
      expect((await cli(here.dir, ["config", "show"], { CCW_LOOP_URL: server.url })).code).toBe(0);
    },
  );

  test("serve has a --token-file of its own", async () => {
    await writeFile(join(elsewhere, "short"), "short");
    const args = ["--json", "serve", "--port", "0", "--token-file", join(elsewhere, "short")];
    expect((await cli(here.dir, args)).err).toContain(`${join(elsewhere, "short")} holds no token`);
  });

  test("nobody there is an error of the environment that names the next step", async () => {
    const url = await deadUrl();
    expect(await cli(elsewhere, ["list", "--url", url])).toMatchObject({
      code: 5,
      err: expect.stringContaining(`${url} cannot be reached: ECONNREFUSED`),
    });
  });

  test("from inside of a loop only looking is allowed, whichever project it is", async () => {
    const env = { CCW_LOOP_TOKEN: TOKEN, CCW_LOOP_URL: server.url, CCW_LOOP_DRIVES: here.dir };
    expect((await cli(elsewhere, ["list"], env)).code).toBe(0);
    expect(await cli(elsewhere, ["stop", "known"], env)).toMatchObject({
      code: 6,
      err: expect.stringContaining("comes from inside of a loop"),
    });
  });
});
