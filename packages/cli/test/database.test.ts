import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LoopState, tasksOf } from "@ccw-loop/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { placeOfLoops } from "../src/extensions/store-choice.ts";
import { BIN } from "./support/bin.ts";
import { database, type Place, sql } from "./support/database.ts";
import { documentIn } from "./support/documents.ts";
import { emptyFolder } from "./support/folder.ts";
import { ownConfig, put } from "./support/own-module.ts";
import { type Project, plan, project, write } from "./support/project.ts";
import { cli } from "./support/run-cli.ts";

const db = database();

/** `ccw-loop ARGS` where the loops of a place are, in a project or elsewhere. */
const at = (place: Place, dir: string) => {
  return (...args: string[]) => cli(dir, args, { CCW_LOOP_STORE: place.whole });
};

async function madePlace(): Promise<Place> {
  const place = db.place();
  await at(place, "/")("store", "migrate");
  return place;
}

/** Loop `a`, done by an agent that writes 42. */
const run = (here: Project) => ["run", "--auto", ...here.flags, "--loop-id", "a", "--create", "x"];

test("a loop is made, driven and seen in a database, and leaves no state in the project", async () => {
  await using here = await project(plan, write("42"));
  const place = db.place();
  const ccw = at(place, here.dir);
  const before = await ccw("store", "status");
  expect(before).toMatchObject({ code: 1, out: expect.stringContaining("are not in 127.0.0.1") });
  expect(before.out).toContain("\nMake them with: ccw-loop store migrate\n");
  expect(await ccw("list")).toMatchObject({
    code: 5,
    err: expect.stringContaining("Make them with: ccw-loop store migrate"),
  });
  expect((await ccw("doctor")).out).toMatch(/^problem +store +The tables for loops are not/m);
  expect((await ccw("store", "migrate")).out).toBe("The tables are made, of version 4.\n");
  const again = documentIn("store migrate", (await ccw("store", "migrate", "--json")).out);
  expect(again).toEqual({ from: 4, to: 4, granted_to: null });
  const status = documentIn("store status", (await ccw("store", "status", "--json")).out);
  expect(status).toMatchObject({ kind: "database", ready: true, version: 4, needs: 4 });

  const ran = await ccw(...run(here), "--json");
  const { data } = JSON.parse(ran.out);
  expect([ran.code, data.status], ran.err).toEqual([0, "completed"]);
  expect(data.state_file).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/postgres\/t_\w+\/a\.json$/);
  expect((await at(place, "/")("show", "a")).out).toContain("completed");
  expect((await at(place, "/")("__complete", "show", "")).out).toBe("a\n");
  expect((await here.cli("list", "--json")).out).toContain('"total": 0');
  const files = readdirSync(join(here.dir, ".workflow/.loop"));
  expect(files.filter((name) => name.startsWith("a."))).toEqual([]);
});

describe("which database", () => {
  const total = async (ran: ReturnType<typeof cli>) => {
    const { out, err } = await ran;
    return out === "" ? err : JSON.parse(out).data.total;
  };
  const list = ["list", "--json"];

  test("--store before CCW_LOOP_STORE before the own configuration before files", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const [flag, env, config] = await Promise.all([madePlace(), madePlace(), madePlace()]);
    const task = ["start", "--auto", ...here.flags];
    await at(env, here.dir)(...task, "one");
    for (const n of ["one", "two"]) await at(config, here.dir)(...task, n);
    vi.stubEnv("PGPASSWORD", flag.password);
    onTestFinished(() => void vi.unstubAllEnvs());
    const byFlag = ["--store", flag.address];
    const schema = new URL(config.whole).searchParams.get("schema");
    for (const store of [config.whole, { url: config.url, schema }]) {
      await own.write({ store });
      const all = { ...own.env, CCW_LOOP_STORE: env.whole };
      expect(await total(cli(here.dir, [...list, ...byFlag], all))).toBe(0);
      expect(await total(cli(here.dir, list, all))).toBe(1);
      expect(await total(cli(here.dir, list, own.env))).toBe(2);
    }
    expect(await total(cli(here.dir, list))).toBe(0);
    expect((await cli(here.dir, ["show", "b", ...byFlag])).err).toContain(
      `with: ccw-loop --store '${flag.address}' list`,
    );
  });

  test("never the one that the project names", async () => {
    await using here = await project(plan);
    const { whole } = await madePlace();
    await put(join(here.dir, ".workflow/ccw-loop.json"), JSON.stringify({ store: whole }));
    const { code, err } = await here.cli("start", "--auto", ...here.flags, "x");
    expect([code, err]).toEqual([2, expect.stringContaining("store in ")]);
    expect(err).toContain("is not allowed: agents can write that file");
  });

  test.each<[string[], Record<string, string>, string]>([
    [["--store", "mysql://a/b"], {}, "--store is no address of a database"],
    [["--store", "postgres://a@h/b?schema=X"], {}, "schema"],
    [[], { CCW_LOOP_STORE: "secret" }, "CCW_LOOP_STORE is no address of a database"],
    [["--store", "postgres://h/b", "--url", "http://h"], {}, "--url and --store both say"],
    [["--store", "postgres://u:secret@h/b"], {}, "--store must not hold a password"],
    [["--store", "postgres://u:secret%2F@h/b"], {}, "--store must not hold a password"],
    [["--store", "postgres://u@h/b?password=secret"], {}, "--store must not hold a password"],
  ])("%j with %j is refused", async (args, env, expected) => {
    const { code, out, err } = await cli("/", [...args, "list"], env);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(expected)]);
    expect(err).not.toContain("secret");
  });

  test("is said by serve and the terminal interface without a user and a password", async () => {
    const choice = { database: { url: "postgres://me:secret@db.example/loops?schema=shop" } };
    expect(await placeOfLoops(choice, "/shop")).toBe("the database db.example:5432/loops");
    expect(await placeOfLoops(undefined, "/shop")).toBe("/shop");
  });

  test("files, and a module, have no tables", { tags: ["slow"] }, async () => {
    await using here = await project(plan);
    expect((await here.cli("store", "status")).out).toMatch(/^Loops are files in \/.*\.loop\.\n$/);
    expect(await here.cli("store", "migrate")).toMatchObject({
      code: 2,
      err: expect.stringContaining("There are no tables to migrate"),
    });
  });

  test("one server has one place in a database", { tags: ["slow"] }, async () => {
    await using here = await project(plan);
    await using other = await project(plan);
    const folders = ["--project", here.dir, "--project", other.dir];
    expect(await at(await madePlace(), here.dir)("serve", "--port", "0", ...folders)).toMatchObject(
      {
        code: 2,
        err: expect.stringContaining("Several projects cannot have their loops in one place"),
      },
    );
  });
});

test("tables of a newer program are refused in a sentence, and nothing of them changes", async () => {
  const place = await madePlace();
  await sql(place, "INSERT INTO SCHEMA.versions (version) VALUES (99)");
  const ccw = at(place, "/");
  for (const command of [["list"], ["store", "migrate"]]) {
    expect(await ccw(...command)).toMatchObject({
      code: 5,
      err: expect.stringContaining("were taken over by a newer version of ccw-loop (tables 99;"),
    });
  }
  expect(await ccw("store", "status")).toMatchObject({
    code: 1,
    out: expect.stringContaining("Go on with a newer ccw-loop."),
  });
});

test("a role gets what it needs and no more, and its password is in no message", {
  tags: ["slow"],
}, async () => {
  await using here = await project(plan, write("42"));
  const place = db.place();
  const role = "driver";
  await sql(place, `CREATE ROLE ${role} LOGIN PASSWORD 'its-secret'`);
  const mine = Object.assign(new URL(place.whole), { username: role, password: "its-secret" }).href;
  const ccw = (...args: string[]) => cli(here.dir, args, { CCW_LOOP_STORE: mine });
  expect((await at(place, "/")("store", "migrate")).code).toBe(0);
  const lacking = await ccw("list");
  expect(lacking.err).toContain("with: ccw-loop store migrate --grant-to ROLE");
  const granted = await at(place, "/")("store", "migrate", "--grant-to", role);
  expect(granted.out).toContain("driver has the rights to drive loops.");
  expect((await ccw(...run(here))).code).toBe(0);
  const wrong = mine.replace("its-secret", "another-secret");
  const refused = await cli(here.dir, ["list"], { CCW_LOOP_STORE: wrong, CCW_LOOP_DEBUG: "1" });
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining("Check user and pass")]);
  for (const { out, err } of [lacking, refused, await ccw("doctor"), await ccw("store", "status")])
    expect(out + err).not.toContain("secret");
});

test("from inside of a loop in a database only looking is allowed, wherever it is called", {
  tags: ["slow"],
}, async () => {
  await using here = await project(plan);
  await using own = await ownConfig();
  const place = await madePlace();
  const elsewhere = emptyFolder();
  await own.write({ store: place.whole });
  const ccw = at(place, here.dir);
  await ccw("start", "--auto", ...here.flags, "--loop-id", "a", "x", "--max-iterations", "1");
  const bin = `node ${join(import.meta.dirname, "../bin/ccw-loop.js")} --cwd ${elsewhere}`;
  const byEnv = `CCW_LOOP_STORE='${place.whole}'`;
  const byConfig = `XDG_CONFIG_HOME='${own.env.XDG_CONFIG_HOME}'`;
  const command = [
    `${byEnv} ${bin} tasks add a 'touch evil' --tool bash; echo "exit $?"`,
    `${byConfig} ${bin} stop a; echo "exit $?"`,
    `unset CCW_LOOP_DRIVES; ${byEnv} setsid -w ${bin} stop a; echo "exit $?"`,
    `${byEnv} ${bin} list > /dev/null; echo "exit $?"`,
    "printf 42 > answer",
  ].join("\n");
  await ccw("tasks", "add", "a", command, "--tool", "bash", "--task-id", "t");
  const { err } = await ccw("run", "--loop-id", "a");
  const [row] = (await sql(place, "SELECT state FROM SCHEMA.loops")) as [{ state: LoopState }];
  const tasks = tasksOf(row.state);
  const { output = "" } = tasks[0]?.command_run ?? {};
  expect(output.match(/exit \d+/g), `${output}\n${err}`).toEqual([
    "exit 6",
    "exit 6",
    "exit 6",
    "exit 0",
  ]);
  expect(output.match(/comes from inside of a loop/g)).toHaveLength(3);
  expect(tasks).toHaveLength(1);
});

test("what speaks with a database is loaded only for one", async () => {
  const place = await madePlace();
  const folder = emptyFolder();
  const loaded = (name: string, env: Record<string, string>) => {
    const NODE_V8_COVERAGE = join(folder, name);
    const ran = spawnSync(process.execPath, [BIN, "list"], {
      ...{ cwd: folder, env: { HOME: folder, NODE_V8_COVERAGE, ...env }, encoding: "utf8" },
    });
    expect(ran.status, ran.stderr).toBe(0);
    const [file = ""] = readdirSync(NODE_V8_COVERAGE);
    return /chunk-database|store-postgres/.test(readFileSync(join(NODE_V8_COVERAGE, file), "utf8"));
  };
  expect(loaded("files", {})).toBe(false);
  expect(loaded("database", { CCW_LOOP_STORE: place.whole })).toBe(true);
});
