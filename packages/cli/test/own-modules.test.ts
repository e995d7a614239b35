import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { type OwnConfig, ownConfig, put } from "./support/own-module.ts";
import { type Project, plan, project, stateOf } from "./support/project.ts";
import { listeningAt } from "./support/served.ts";

const PATIENCE = { timeout: 30_000, interval: 10 };

/** `ccw-loop ARGS` in a project of somebody with this configuration. */
const cli = (here: Project, own: OwnConfig, env: Record<string, string> = {}) => {
  const io = () => here.io({ env: { ...own.env, ...env } });
  return (...args: string[]) => here.run(io(), ...args);
};
const TESTKIT = new URL("../../testkit/src/index.ts", import.meta.url).href;
const VERIFY = ["--auto", "--verify", "node check.mjs", "--loop-id", "a"];
/** Makes a loop, for which its agent is opened and looked at. */
const NEW = ["start", ...VERIFY, "x"];
const RUN = ["run", ...VERIFY, "--create", "x"];

describe("who may name a module", () => {
  /** Each makes or drives loop `a`; `file` is the module, which lies outside of the project. */
  const sources: [
    string,
    "loads it" | string,
    (named: { file: string; here: Project; own: OwnConfig }) => Promise<{
      args: string[];
      env?: Record<string, string>;
    }>,
  ][] = [
    [
      "--agent with its path",
      "loads it",
      async ({ file }) => ({ args: [...NEW, "--agent", file] }),
    ],
    [
      "--agent with a path from here",
      "loads it",
      async ({ file, here }) => ({ args: [...NEW, "--agent", `./${relative(here.dir, file)}`] }),
    ],
    [
      "--agent with a URL",
      "loads it",
      async ({ file }) => ({ args: [...NEW, "--agent", pathToFileURL(file).href] }),
    ],
    [
      "a name of the own configuration",
      "loads it",
      async ({ own }) => {
        await own.write({ agents: { mine: { module: "./own.mjs" } } });
        return { args: [...NEW, "--agent", "mine"] };
      },
    ],
    [
      "a name of the own configuration, which the project's names",
      "loads it",
      async ({ own, here }) => {
        await own.write({ agents: { mine: { module: "./own.mjs" } } });
        await put(join(here.dir, ".workflow/ccw-loop.json"), '{ "agent": "mine" }');
        return { args: NEW };
      },
    ],
    [
      "a name that nobody registered",
      '--agent cannot be "mine": no such agent is registered; use codex, gemini, qwen, claude, opencode, copilot, codex-acp or scripted:FILE, a module as --agent ./FILE.js, a command as --agent "acp:COMMAND", or register one under agents in ',
      async () => ({ args: [...NEW, "--agent", "mine"] }),
    ],
    [
      "the environment",
      "CCW_LOOP_AGENT cannot be",
      async ({ file }) => ({ args: NEW, env: { CCW_LOOP_AGENT: file } }),
    ],
    [
      "`agent` of the project's configuration",
      "agent in ",
      async ({ file, here }) => {
        await put(join(here.dir, ".workflow/ccw-loop.json"), JSON.stringify({ agent: file }));
        return { args: NEW };
      },
    ],
    [
      "`agents` of the project's configuration",
      "is not allowed: agents can write that file",
      async ({ file, here }) => {
        const agents = { mine: { module: file } };
        await put(join(here.dir, ".workflow/ccw-loop.json"), JSON.stringify({ agents }));
        return { args: [...NEW, "--agent", "mine"] };
      },
    ],
    [
      "`agent` of the own configuration, as a path",
      "register it under agents in ",
      async ({ file, own }) => {
        await own.write({ agent: file });
        return { args: NEW };
      },
    ],
    [
      "a configuration that the environment puts into the project",
      "lies inside of the project, where its agents may write, so it cannot name modules or webhooks, allow commands or choose a sandbox.",
      async ({ file, here }) => {
        const agents = { mine: { module: file } };
        await put(join(here.dir, "conf/ccw-loop/config.json"), JSON.stringify({ agents }));
        const env = { XDG_CONFIG_HOME: join(here.dir, "conf") };
        return { args: [...NEW, "--agent", "mine"], env };
      },
    ],
  ];
  test.each(sources)("%s: %s", async (_, expected, name) => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const module = own.module("own.mjs");
    const { args, env } = await name({ file: module.file, here, own });
    const { code, err } = await cli(here, own, env)(...args);
    expect(module.wasLoaded()).toBe(expected === "loads it");
    if (expected === "loads it") {
      expect(code, err).toBe(0);
    } else {
      expect([code, err]).toEqual([2, expect.stringContaining(expected)]);
      expect((await here.cli("list", "--json")).out).toContain('"total": 0');
    }
  });

  test("the state of a loop does not: whoever drives it names the module again, or has registered it", {
    tags: ["slow"],
  }, async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const ccw = cli(here, own);
    const { file, wasLoaded } = own.module("own.mjs");
    const made = ["start", "--verify", "node check.mjs", "--agent", file, "--loop-id"];
    for (const id of ["a", "b"]) expect((await ccw(...made, id, "x")).code).toBe(0);
    expect((await stateOf(here, "a")).settings.agent).toBe(file);
    expect(wasLoaded()).toBe(true);
    const before = await stateOf(here, "a");

    for (const words of ["run --loop-id a", "resume a", "tasks generate a"]) {
      const { code, err } = await ccw(...words.split(" "));
      expect([code, err]).toEqual([
        5,
        expect.stringContaining(`Name it again with: --agent ${file}`),
      ]);
    }
    const { error } = JSON.parse((await ccw("resume", "a", "--json")).out);
    expect(error).toMatchObject({ code: "agent_unavailable", details: { agent: file } });
    expect(error.hint).toContain(`Or register it, in ${own.file}: {"agents":`);

    const io = here.io({ env: own.env });
    const supervisor = here.run(io, "supervise", "--events");
    await vi.waitFor(
      () => expect(io.out()).toMatch(/"loop\.put_off".*agent_unavailable/),
      PATIENCE,
    );
    io.signal("SIGTERM");
    expect((await supervisor).out).toContain(`Name it again with: --agent ${file}`);
    expect(wasLoaded()).toBe(false);
    const { settings: _, updated_at: __, ...after } = await stateOf(here, "a");
    expect(after).toMatchObject({ status: "running", current_iteration: 0 });
    expect(after.revision).toBe(before.revision);

    expect((await ccw("resume", "a", "--agent", file)).code).toBe(0);
    expect(wasLoaded()).toBe(true);
    await own.write({ agents: { mine: { module: file, options: { answer: "41" } } } });
    const registered = await ccw("run", "--loop-id", "b", "--auto", "--max-iterations", "2");
    expect(registered.code, registered.err).toBe(3);
    expect(wasLoaded()).toBe(true);
  });

  test("what is printed next names it again, so that it can be pasted", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const ccw = cli(here, own);
    const { file } = own.module("own.mjs");
    const words = `--agent ${file}`;
    const started = await ccw(...NEW, "--agent", file);
    expect(started.out).toContain(`ccw-loop supervise ${words}`);
    const paused = await ccw("pause", "a", "--json");
    expect(JSON.parse(paused.out).data.next[0]).toBe(`ccw-loop resume a ${words}`);
    const stopped = JSON.parse((await ccw("stop", "a", "--json")).out).data.next;
    const last = stopped.at(-1);
    expect(last).toBe(`ccw-loop resume a --reopen ${words}`);
    const again = await ccw(...last.split(" ").slice(1));
    expect(again.code, again.err).toBe(0);
  });

  test("a resume that is refused for it leaves the loop as it was", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const ccw = cli(here, own);
    const { file } = own.module("own.mjs");
    expect((await ccw(...NEW, "--agent", file)).code).toBe(0);
    expect((await ccw("stop", "a")).code).toBe(0);
    const stopped = await stateOf(here, "a");
    for (const words of ["resume a --reopen", "resume a --reopen --no-run"]) {
      const { code, err } = await ccw(...words.split(" "));
      expect([code, err]).toEqual([5, expect.stringContaining("Name it again with: --agent")]);
      expect(await stateOf(here, "a")).toEqual(stopped);
    }
  });

  test("a request does not, unless the server was given that module", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const { file, wasLoaded } = own.module("own.mjs");
    const ask = async (...args: string[]) => {
      const io = here.io({ env: own.env });
      const ended = here.run(io, "serve", "--port", "0", ...args);
      const url = await listeningAt(io);
      const ccw = cli(here, own);
      const settings = ["--verify", "node check.mjs", "--agent", file];
      const answer = await ccw("start", "--url", url, ...settings, "x", "--json");
      io.signal("SIGTERM");
      await ended;
      return { answer, err: io.err() };
    };
    const refused = (await ask("--no-drive")).answer;
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/settings\.agent cannot be ".*": a module is loaded only where/);
    expect(wasLoaded()).toBe(false);
    const { answer } = await ask("--no-drive", "--agent", file);
    expect(answer.code, answer.err).toBe(0);
    expect(wasLoaded()).toBe(true);
  });
});

test("a module inside of the project is loaded with a warning", async () => {
  await using here = await project(plan);
  await using own = await ownConfig();
  const { file } = own.module("inside.mjs", here.dir);
  const { code, err } = await cli(here, own)(...NEW, "--agent", "./inside.mjs");
  expect(code, err).toBe(0);
  expect(err.split(`The agent module ${file} lies inside of the project`)).toHaveLength(2);
});

test("a module that is not there is said so", async () => {
  await using here = await project(plan);
  for (const file of ["none.js", ".workflow"]) {
    const { code, err } = await here.cli(...NEW, "--agent", `./${file}`);
    const message = `The agent module ${join(here.dir, file)} is no file.`;
    expect([code, err]).toEqual([5, expect.stringContaining(message)]);
  }
});

test.each([
  ["export default { describe: 'x' };", "has a default export without open (a function)"],
  ["export default { open() {} };", "has a default export without describe (a text)"],
  ["export const open = 1;", "has no default export with describe and open (AgentFactory)"],
  ["export default { describe: 'x', open: () => 1 };", "opens without: driver, check, open"],
  [
    "export default { describe: 'x', open: () => ({ driver: 'a', open() {} }) };",
    "opens without: check",
  ],
  [
    "export default { describe: 'x', open() { throw new Error('no key'); } };",
    "failed to open: no key",
  ],
  ["oops(", "cannot be loaded: "],
  ["import 'not-installed-anywhere';", "cannot be loaded: "],
])("a module that is no agent is named, with what is missing: %s", async (source, problem) => {
  await using here = await project(plan);
  await using own = await ownConfig();
  const file = await put(join(own.file, "../broken.mjs"), source);
  const { code, err } = await cli(here, own)(...NEW, "--agent", file);
  expect([code, err]).toEqual([5, expect.stringContaining(`The agent module ${file} ${problem}`)]);
});

const ANSWERING = (methods: string) =>
  `export default { describe: "x", open: () => ({ driver: "x", check: async () => ({ ok: true, version: null, problems: [], notes: [] }), open: async () => ({}), ${methods} }) };`;
const TURN = (run: string) =>
  `open: async () => ({ id: null, run: ${run}, steer: async () => {}, close: async () => {} })`;

test.each([
  ["check: async () => 'fine'", "answers check with something else than the port says"],
  ["open: async () => null", "answers open with something else than the port says"],
  [TURN("async () => undefined"), "answers a turn with something else than the port says"],
  [
    TURN("async () => ({ text: 'Done.', usage: { tokens: 1 } })"),
    "answers a turn with something else than the port says (usage: ",
  ],
  [TURN("async () => { throw new Error('boom'); }"), "failed: boom"],
])("an agent of a module that answers nonsense is named: %s", async (methods, problem) => {
  await using here = await project(plan);
  await using own = await ownConfig();
  const file = await put(join(own.file, "../nonsense.mjs"), ANSWERING(methods));
  const flags = ["--auto", "--max-iterations", "2", ...VERIFY, "--agent", file];
  const { code, out, err } = await cli(here, own)("run", ...flags, "--create", "x");
  expect(code, err).not.toBe(0);
  expect(out + err).toContain(`The agent module ${file} ${problem}`);
  expect(out + err).not.toContain("This should not happen");
});

describe("what the own configuration registers", () => {
  test.each([
    [{ agents: { codex: { module: "./own.mjs" } } }, "agents.codex in "],
    [{ agents: { "a b": { module: "./own.mjs" } } }, "agents.a b in "],
    [{ agents: { mine: {} } }, "agents.mine.module in "],
    [{ agents: { mine: { module: "./own.mjs", option: 1 } } }, "agents.mine in "],
    [{ agents: { mine: { module: "./none.mjs" } } }, "./none.mjs in "],
    [{ agents: { mine: { module: "not-installed" } } }, "not-installed in "],
    [{ agents: ["./own.mjs"] }, "agents in "],
    [{ store: "./own.mjs" }, "store in "],
  ])("is refused with its place: %j", async (config, place) => {
    await using here = await project(plan);
    await using own = await ownConfig();
    own.module("own.mjs");
    await own.write(config);
    const { code, err } = await cli(here, own)("list");
    expect([code, err]).toEqual([2, expect.stringContaining(`${place}${own.file}`)]);
  });

  test.each([
    ["a package without exports", "pkg", { main: "main.mjs" }],
    ["a package that exports one file", "pkg", { exports: "./main.mjs" }],
    [
      "a package that exports to imports",
      "@me/pkg",
      { exports: { ".": { import: "./main.mjs" } } },
    ],
    ["a part of a package", "pkg/agent", { exports: { "./agent": { default: "./main.mjs" } } }],
  ])("may lie in %s", async (_, module, manifest) => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const name = module.replace(/(?<=.)\/agent$/, "");
    const folder = join(own.env.XDG_CONFIG_HOME, "node_modules", name);
    await put(join(folder, "package.json"), JSON.stringify({ name, ...manifest }));
    const { wasLoaded } = own.module("main.mjs", folder);
    await own.write({ agent: "mine", agents: { mine: { module } } });
    const { code, err } = await cli(here, own)(...NEW);
    expect(code, err).toBe(0);
    expect(wasLoaded()).toBe(true);
  });

  test("no variable of the environment leads to another package", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const folder = join(here.dir, "modules/pkg");
    await put(join(folder, "package.json"), '{ "main": "main.mjs" }');
    const { wasLoaded } = own.module("main.mjs", folder);
    await own.write({ agents: { mine: { module: "pkg" } } });
    vi.stubEnv("NODE_PATH", join(here.dir, "modules"));
    try {
      expect((await cli(here, own)(...NEW, "--agent", "mine")).err).toContain("pkg in ");
    } finally {
      vi.unstubAllEnvs();
    }
    expect(wasLoaded()).toBe(false);
  });

  test("is what doctor looks at, with each module's own words", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const { file } = own.module("own.mjs");
    await own.write({ agents: { mine: { module: "./own.mjs" } } });
    const env = { CCW_LOOP_AGENT: "mine", CCW_LOOP_VERIFY: "node check.mjs" };
    const fine = await cli(here, own, env)("doctor");
    expect(fine.out).toContain(`modules    agent mine: writes an answer (${file})`);
    expect([fine.code, fine.out]).toEqual([0, expect.stringMatching(/^ok +agent +own can work/m)]);
    const other = await put(join(own.file, "../other.mjs"), "export default 1;");
    const broken = await cli(here, own, env)("doctor", "--agent", other);
    expect([broken.code, broken.out]).toEqual([
      5,
      expect.stringMatching(/^problem +agent .*other\.mjs has no default export/m),
    ]);
  });

  test("a store keeps all loops, and a verifier says whether the tests pass", async () => {
    await using here = await project(plan);
    await using own = await ownConfig();
    const { file } = own.module("own.mjs");
    const example = join(import.meta.dirname, "../../../examples/store-memory/src/index.ts");
    await put(join(own.file, "../verifier.ts"), VERIFIER);
    await own.write({
      agents: { mine: { module: file, options: { answer: "7" } } },
      store: { module: example },
      verifier: { module: "./verifier.ts", options: { wanted: "7" } },
    });
    const ran = await cli(here, own)(...RUN, "--agent", "mine", "--json");
    const { data } = JSON.parse(ran.out);
    expect([ran.code, data.status, data.state_file]).toEqual([0, "completed", "memory:a.json"]);
    expect(data.receipt).toMatchObject({ report: "junit", counts: { total: 1, passed: 1 } });
    expect((await here.cli("list", "--json")).out).toContain('"total": 0');
    expect((await cli(here, own)("show", "a")).code).toBe(7);
    expect((await cli(here, own)("recover", "a")).code).toBe(7);
  });
});

/** TypeScript, which Node reads as it is: passes when `answer` is what its options want. */
const VERIFIER = `import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { VerifierFactory } from "@ccw-loop/core";
import { passingVerifier, sampleVerification } from ${JSON.stringify(TESTKIT)};

const factory: VerifierFactory = {
  describe: "looks at the answer",
  open: ({ options }) => ({
    ...passingVerifier(),
    verify: async (_, { cwd }) =>
      sampleVerification(readFileSync(join(cwd, "answer"), "utf8") === Object(options).wanted),
  }),
};
export default factory;
`;
