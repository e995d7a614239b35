import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenOptions } from "@ccw-loop/core";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, it, vi } from "vitest";
import { acpAgent } from "../src/index.ts";
import { CONTAINED, CONTAINS, type Fake, fake, fakeProfile, warnings } from "./fake.ts";

const LENIENT = { kind: "workspace", required: false } as const;

/** A home folder with a key in it, something to read, and room for programs. */
async function elsewhere() {
  const top = await realpath(await mkdtemp(join(tmpdir(), "ccw-elsewhere-")));
  const [keys, programs] = [join(top, "keys"), join(top, "programs")];
  await mkdir(keys);
  await mkdir(programs);
  await writeFile(join(keys, "receipt.key"), "secret", { mode: 0o600 });
  await writeFile(join(top, "letter"), "public");
  return {
    ...{ top, keys, programs, key: join(keys, "receipt.key"), env: { ...process.env, HOME: top } },
    /** A program of that name, which is found first. */
    async first(script: string, folder = programs) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    },
    [Symbol.asyncDispose]: () => rm(top, { recursive: true, force: true }),
  };
}

/** What a command of a turn prints; nobody is asked about it. */
async function outputOf(
  it: Fake,
  command: string,
  options: Partial<OpenOptions> = {},
): Promise<string> {
  await it.run(await it.open(options), { command });
  return it.events.flatMap((one) => (one.type === "command.output" ? one.text : [])).join("");
}

/** The places that a clause of a note names. */
function clauseOf(note: string, beginning: string): string[] {
  const clauses = note.replace(/\.$/, "").split(/[:;] /);
  const clause = clauses.find((one) => one.startsWith(`${beginning} /`)) ?? "";
  return clause.slice(beginning.length + 1).split(", ");
}

/** Says of each place whether something could be written there. */
const WRITES = `for place in "$@"; do (echo x >> "$place") 2>/dev/null && echo "$place yes" || echo "$place no"; done`;

describe.runIf(CONTAINS)(
  "an agent that is contained",
  { timeout: 60_000, concurrent: true },
  () => {
    it("writes to the project, and neither to the loop's state nor to what git runs", async () => {
      await using it = await fake({ sandbox: CONTAINED, habits: ["no-questions"] });
      await mkdir(join(it.cwd, ".workflow/.loop"), { recursive: true });
      await writeFile(join(it.cwd, ".workflow/.loop/a.json"), "{}");
      const outside = join(homedir(), `.ccw-loop-outside-${process.pid}`);
      const places = ["made.txt", ".workflow/.loop/a.json", ".workflow/ccw-loop.json"];
      const git = [".git/config", ".git/hooks/pre-commit", ".git/commondir"];
      const all = [...places, ...git, outside];
      const said = await outputOf(it, `set -- ${all.join(" ")}; ${WRITES}`);
      const [made, ...others] = said.trim().split("\n");
      expect(made).toBe("made.txt yes");
      expect(others).toEqual(all.slice(1).map((place) => `${place} no`));
      expect(readFileSync(join(it.cwd, ".workflow/.loop/a.json"), "utf8")).toBe("{}");
      expect(existsSync(outside)).toBe(false);
    });

    it("that is to look alone reads the project, and writes to nothing of it", async () => {
      await using it = await fake({ sandbox: CONTAINED, habits: ["no-questions"] });
      await writeFile(join(it.cwd, "there.txt"), "to be seen\n");
      const command = `cat there.txt; set -- there.txt made.txt .workflow/x; ${WRITES}`;
      const said = await outputOf(it, command, { readOnly: true });
      expect(said.trim().split("\n")).toEqual([
        ...["to be seen", "there.txt no", "made.txt no", ".workflow/x no"],
      ]);
      expect(existsSync(join(it.cwd, "made.txt"))).toBe(false);
    });

    it("cannot put another folder in the place of one that it may not write to", async () => {
      await using it = await fake({ sandbox: CONTAINED, habits: ["no-questions"] });
      const said = await outputOf(
        it,
        "mv .git old; mv .workflow old; rm -rf .workflow; mkdir .workflow && echo made; ls -d .git .workflow",
      );
      expect(said).not.toContain("made");
      expect(existsSync(join(it.cwd, "old"))).toBe(false);
      expect(existsSync(join(it.cwd, ".git/HEAD"))).toBe(true);
    });

    it("cannot read the key, and sees no other process", async () => {
      await using other = await elsewhere();
      await using it = await fake({
        ...{ sandbox: CONTAINED, habits: ["no-questions"] },
        ...{ hidden: [other.keys], env: other.env },
      });
      const said = await outputOf(
        it,
        `cat ${other.top}/letter ${other.key}; ls -A ${other.keys}; kill -0 ${process.pid} && echo alive`,
      );
      expect(said).toContain("public");
      expect(said).not.toContain("secret");
      expect(said).not.toMatch(/^receipt\.key$/m);
      expect(said).not.toContain("alive");
    });

    it("ends with its commands, also with one that has no tag, no parent and a session of its own", async () => {
      await using it = await fake({ sandbox: CONTAINED, habits: ["no-questions"] });
      const nap = `6${process.pid}.25`;
      const hidden = `env -i /usr/bin/setsid -f /bin/sh -c 'sleep ${nap}; sleep ${nap}'`;
      const session = await it.open();
      const control = new AbortController();
      const turn = it.run(session, { command: `${hidden}; echo up; sleep ${nap}` }, control.signal);
      turn.catch(() => undefined);
      await vi.waitFor(() => expect(processesRunning(nap).length).toBeGreaterThan(2), 20_000);
      control.abort(new Error("The operator paused the loop."));
      await expect(turn).rejects.toThrow("paused");
      expect(processesRunning(`sleep ${nap}`)).toEqual([]);
      expect((await it.run(session, {})).text).toBe("Done.");
    });

    it("is checked by trying it", async () => {
      await using other = await elsewhere();
      await using it = await fake({ sandbox: CONTAINED, hidden: [other.keys], env: other.env });
      const check = await it.agent.check(it.cwd);
      expect(check).toMatchObject({ ok: true, problems: [] });
      const note = check.notes.find((one) => one.includes("contained by bubblewrap")) ?? "";
      expect(clauseOf(note, "it could write to")).toContain(it.cwd);
      expect(clauseOf(note, "it could not write to")).toContain(join(it.cwd, ".git"));
      expect(clauseOf(note, "it could not write to")).toContain(homedir());
      expect(clauseOf(note, "it could not read")).toEqual([other.key]);
      expect(existsSync(join(it.cwd, ".workflow"))).toBe(false);
    });

    it("is told how it gets folders of its own when it ends without them", async () => {
      await using it = await fake({ sandbox: CONTAINED, profile: { homes: [] } });
      const refused = { code: "agent_unavailable", message: expect.stringContaining("with homes") };
      await expect(it.open()).rejects.toMatchObject(refused);
      expect(await it.agent.check(it.cwd)).toMatchObject({ ok: false, problems: [refused] });
    });

    it("makes no repository where there is none, and none is left", async () => {
      await using it = await fake({ sandbox: CONTAINED });
      const cwd = join(it.cwd, "packages/one");
      await mkdir(cwd, { recursive: true });
      const session = await it.open({ cwd });
      const options = { signal: AbortSignal.timeout(30_000), timeoutMs: 30_000 };
      const made = await session.exec?.("git init .; echo x > .git/config; echo over", options);
      expect(made?.output).toContain("over\n");
      expect(existsSync(join(cwd, ".git/config"))).toBe(false);
      await session.close();
      expect(existsSync(join(cwd, ".git"))).toBe(false);
    });

    it("does not get rid of its sandbox by closing the project's folder", async () => {
      await using it = await fake({ sandbox: LENIENT, habits: ["no-questions"] });
      const session = await it.open();
      await it.run(session, { command: "chmod a-w ." });
      await session.close();
      const refused = { code: "sandbox_unavailable", message: expect.stringContaining(it.cwd) };
      await expect(it.open()).rejects.toMatchObject(refused);
      await chmod(it.cwd, 0o755);
    });

    it("is told where its sandbox broke, and not that its command failed", async () => {
      await using other = await elsewhere();
      await using it = await fake();
      const folder = join(it.cwd, ".git/fake-acp");
      await mkdir(folder);
      const homes = [folder, other.programs];
      const agent = acpAgent({ profile: fakeProfile(folder, [], { homes }), sandbox: CONTAINED });
      const session = await agent.open({ cwd: it.cwd, instructions: "" });
      await rm(other.programs, { recursive: true });
      const options = { signal: AbortSignal.timeout(30_000), timeoutMs: 30_000 };
      await expect(session.exec?.("echo fine", options)).rejects.toMatchObject({
        code: "sandbox_unavailable",
        message: expect.stringContaining(other.programs),
      });
      await session.close();
    });

    it("is told what may keep it from being logged in", async () => {
      await using it = await fake({ sandbox: CONTAINED, habits: ["no-login"] });
      await expect(it.open()).rejects.toMatchObject({
        code: "agent_unauthorized",
        message: expect.stringContaining("reaches no keyring"),
      });
    });

    it("is not contained by a bubblewrap that it could have written itself", async () => {
      await using other = await elsewhere();
      await using it = await fake();
      const env = await other.first(`touch ${other.top}/ran; exit 1`, join(it.cwd, "bin"));
      const profile = fakeProfile(join(it.cwd, ".git/fake-acp"), []);
      const agent = acpAgent({ profile, sandbox: CONTAINED, env });
      await (await agent.open({ cwd: it.cwd, instructions: "" })).close();
      expect(existsSync(join(other.top, "ran"))).toBe(false);
    });
  },
);

describe("where bubblewrap does not contain", { timeout: 60_000, concurrent: true }, () => {
  it.each([
    ["is refused by the system", "echo 'bwrap: No permissions to create a namespace' >&2; exit 1"],
    ["says nothing", "exit 1"],
  ])("an agent works without it and warns: it %s", async (_, script) => {
    await using other = await elsewhere();
    const env = await other.first(script);
    await using it = await fake({ sandbox: LENIENT, env });
    expect((await it.run(await it.open(), {})).text).toBe("Done.");
    expect(warnings(it)).toEqual([
      expect.stringMatching(
        /^The fake is not contained: .*bwrap does not work here: .*\. It can write/,
      ),
    ]);
    const { ok, notes } = await it.agent.check(it.cwd);
    expect(ok).toBe(true);
    expect(notes.join("\n")).toContain("The fake is not contained: ");
  });

  it("an agent that has to be contained is not opened", async () => {
    await using other = await elsewhere();
    await using it = await fake({ sandbox: CONTAINED, env: await other.first("exit 1") });
    const refused = {
      code: "sandbox_unavailable",
      message: expect.stringMatching(/not contained.*--sandbox off/),
    };
    await expect(it.open()).rejects.toMatchObject(refused);
    expect(await it.agent.check(it.cwd)).toMatchObject({ ok: false, problems: [refused] });
  });

  it("a machine without it is told what to install", async () => {
    await using other = await elsewhere();
    await using it = await fake({ sandbox: LENIENT, env: { PATH: other.top } });
    await it.open();
    expect(warnings(it)).toEqual([
      expect.stringContaining("There is no bubblewrap (bwrap) on PATH"),
    ]);
  });

  it("the check finds out what only looks like containment", async () => {
    await using other = await elsewhere();
    const script = `while [ "$1" != -- ]; do [ "$1" != --chdir ] || cd "$2"; shift; done; shift; exec "$@"`;
    const env = await other.first(script);
    await using it = await fake({ sandbox: CONTAINED, env, hidden: [other.keys] });
    expect(await it.agent.check(it.cwd)).toMatchObject({
      ok: false,
      problems: [
        {
          code: "sandbox_unavailable",
          message: expect.stringContaining(`it could read ${other.key}`),
        },
      ],
    });
    expect(existsSync(join(it.cwd, ".git", "config"))).toBe(true);
  });
});

describe("an agent behind words of its operator", { timeout: 60_000 }, () => {
  it("is started by them", async () => {
    const command = ["/usr/bin/env", "WHERE=inside"];
    await using it = await fake({
      ...{ sandbox: { kind: "container", command }, habits: ["no-questions"] },
    });
    expect(await outputOf(it, "echo $WHERE")).toBe("inside\n");
    const { notes } = await it.agent.check(it.cwd);
    expect(notes.join("\n")).toContain("is started by /usr/bin/env, as you chose");
  });

  it("is told that they are missing", async () => {
    const sandbox = { kind: "container", command: ["no-such-docker", "exec", "x"] } as const;
    await using it = await fake({ sandbox });
    await expect(it.open()).rejects.toMatchObject({
      code: "agent_unavailable",
      message: expect.stringContaining("no no-such-docker on PATH"),
    });
  });
});
