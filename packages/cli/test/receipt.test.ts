import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentIn } from "./support/documents.ts";
import { CONFIG } from "./support/fake-io.ts";
import { type Project, plan } from "./support/project.ts";
import { repairs, testedProject } from "./support/tested-project.ts";

const WHO = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"];
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", [...WHO, ...args], { cwd, encoding: "utf8", stdio: "pipe" });

let here: Project;
/** Holds the receipt and the clones. */
let elsewhere: string;
let file: string;

/** Loop `a` turned one of two red tests green; its work is committed. */
beforeAll(async () => {
  // What tests of other files in this process left there.
  await rm(join(CONFIG, "ccw-loop"), { recursive: true, force: true });
  here = await testedProject(plan, repairs);
  elsewhere = await mkdtemp(join(tmpdir(), "ccw-elsewhere-"));
  const task = ["--known-red", "halves a number", "--loop-id", "a", "--create", "Repair sum"];
  const { code, err } = await here.cli("run", "--auto", ...here.flags, ...task);
  expect(code, err).toBe(0);
  git(here.dir, "add", "--all");
  git(here.dir, "commit", "--quiet", "--message", "repair");
  const { out } = await here.cli("receipt", "a");
  file = join(elsewhere, "receipt.json");
  await writeFile(file, out);
}, 120_000);

afterAll(async () => {
  await here[Symbol.asyncDispose]();
  await rm(elsewhere, { recursive: true, force: true, maxRetries: 5 });
});

async function clone(...options: string[]): Promise<string> {
  const folder = await mkdtemp(join(elsewhere, "clone-"));
  git(elsewhere, "clone", "--quiet", ...options, `file://${here.dir}`, folder);
  return folder;
}

const verify = (...args: string[]) => here.cli("verify", ...args);
const portable = async () => JSON.parse(await readFile(file, "utf8"));

async function changed(name: string, change: (document: never) => void): Promise<string> {
  const document = await portable();
  change(document as never);
  const path = join(elsewhere, `${name}.json`);
  await writeFile(path, JSON.stringify(document));
  return path;
}

describe("a receipt as a file", () => {
  test("names the square, the baseline and no folder of the machine", async () => {
    const text = await readFile(file, "utf8");
    expect(text.split("\n").filter((line) => line.includes(here.dir))).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({
      format: "ccw-loop-receipt/1",
      loop_id: "a",
      receipt: {
        passed: true,
        square: { start: { tree: expect.any(String) }, present: { commit: expect.any(String) } },
        terms: { known_red: ["halves a number"] },
        tests: expect.any(Object),
      },
      baseline: { command: "node --test", tests: expect.any(Object) },
      accepted: [],
      seal: expect.stringMatching(/^hmac-sha256:[0-9a-f]{16}:[0-9a-f]{64}$/),
    });
  });

  test("is sealed with a key of the user alone, outside of the project", async () => {
    const folder = join(here.io().env.XDG_CONFIG_HOME ?? "", "ccw-loop");
    expect(readdirSync(folder)).toEqual(["receipt.key"]);
    const key = join(folder, "receipt.key");
    expect(statSync(key).mode & 0o777).toBe(0o600);
    const secret = readFileSync(key, "utf8").trim();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const found = spawnSync("grep", ["-rlF", secret, "."], { cwd: here.dir, encoding: "utf8" });
    expect(found).toMatchObject({ status: 1, stdout: "" });
  });
});

describe("verify", () => {
  test("runs the square of a loop again, and leaves its files as they are", async () => {
    const { code, out, err } = await verify("a");
    expect(code, `${out}${err}`).toBe(0);
    expect(out).toContain("The receipt of loop a stands.");
    expect(git(here.dir, "status", "--porcelain")).toBe("");
  });

  test("a file stands in a clone without loops, run by the command of the start's files", {
    tags: ["slow"],
  }, async () => {
    const there = await clone();
    const { code, out, err } = await verify(file, "--repo", there, "--json");
    expect(code, `${out}${err}`).toBe(0);
    expect(documentIn("verify", out)).toMatchObject({
      result: "stands",
      problems: [],
      square: {
        cells: {
          baseline: { counts: { passed: 1, failed: 2 } },
          verdict: { command: "npm test", counts: { passed: 2, failed: 1 } },
        },
        witnesses: [expect.stringContaining("adds two numbers")],
      },
    });
    expect(git(there, "status", "--porcelain")).toBe("");
    expect(git(there, "for-each-ref", "refs/ccw-loop")).toBe("");
    expect((await verify(file, "--repo", there, "--command", "node --test")).code).toBe(0);
  });

  test("a file falls where one line of a source is another, committed or not", async () => {
    const there = await clone();
    const source = join(there, "src/sum.js");
    await writeFile(source, (await readFile(source, "utf8")).replace("a + b", "b + a"));
    const { code, out } = await verify(file, "--repo", there);
    expect(code, out).toBe(1);
    expect(out).toMatch(/modified: src\/sum\.js/);
    git(there, "commit", "--all", "--quiet", "--message", "other");
    expect((await verify(file, "--repo", there)).code).toBe(1);
  });

  test("a file lies in the clone itself without being one of its files", {
    tags: ["slow"],
  }, async () => {
    const there = await clone();
    await cp(file, join(there, "receipt.json"));
    expect((await here.cli("--cwd", there, "verify", "receipt.json")).code).toBe(0);
    git(there, "add", "receipt.json");
    git(there, "commit", "--quiet", "--message", "keep the receipt");
    const { code, out } = await here.cli("--cwd", there, "verify", "receipt.json");
    expect(code, out).toBe(1);
    expect(out).toContain("added: receipt.json");
  });

  test("cannot tell where the start is not, and says what to fetch: exit 2", {
    tags: ["slow"],
  }, async () => {
    const there = await clone("--depth", "1");
    const { code, out } = await verify(file, "--repo", there);
    expect(code, out).toBe(2);
    expect(out).toContain("git fetch REMOTE 'refs/ccw-loop/a/*:refs/ccw-loop/a/*'");
    expect(out).toContain("git fetch --unshallow");
    git(there, "fetch", "--quiet", "origin", "refs/ccw-loop/a/*:refs/ccw-loop/a/*");
    expect((await verify(file, "--repo", there)).code).toBe(0);
  });

  test("of a project without git stands where the loop ran, and cannot be told elsewhere: exit 2", {
    tags: ["slow"],
  }, async () => {
    await using plain = await testedProject(plan, repairs);
    await rm(join(plain.dir, ".git"), { recursive: true });
    const task = ["--known-red", "halves a number", "--loop-id", "a", "--create", "Repair sum"];
    expect((await plain.cli("run", "--auto", ...plain.flags, ...task)).code).toBe(0);
    const path = join(elsewhere, "without-git.json");
    await writeFile(path, (await plain.cli("receipt", "a")).out);
    const there = await plain.cli("verify", path);
    expect(there.code, there.out).toBe(0);
    const copy = await mkdtemp(join(elsewhere, "copy-"));
    await cp(plain.dir, copy, { recursive: true });
    await rm(join(copy, ".workflow"), { recursive: true });
    const { code, out } = await verify(path, "--repo", copy);
    expect(code, out).toBe(2);
    expect(out).toContain(
      "Verify the receipt where loop a ran, or name the repository with --repo",
    );
  });

  test("cannot tell in a repository of other work, and says how to name the right one: exit 2", async () => {
    const other = await mkdtemp(join(elsewhere, "other-"));
    git(other, "init", "--quiet");
    await writeFile(join(other, "README"), "Other work.");
    const { code, out } = await verify(file, "--repo", other);
    expect(code, out).toBe(2);
    expect(out).toContain("name that with --repo FOLDER");
  });

  test("cannot tell where the tests cannot be run: exit 2", async () => {
    const there = await clone();
    const { code, out } = await verify(file, "--repo", there, "--command", "no-such-runner");
    expect(code, out).toBe(2);
    expect(out).toContain("no-such-runner");
  });
});

describe("a forged receipt", () => {
  test.each<[string, (document: { receipt: Record<string, unknown>; seal?: string }) => void]>([
    ["with other counts", ({ receipt }) => Object.assign(receipt, { counts: { total: 9 } })],
    ["with other tests", ({ receipt }) => Object.assign(receipt, { tests: {} })],
    [
      "with more known red",
      ({ receipt }) => Object.assign(receipt, { terms: { known_red: ["*"] } }),
    ],
    [
      "with an accepted objection",
      (document) => Object.assign(document, { accepted: ["witness:1"] }),
    ],
    ["without a seal", (document) => void delete document.seal],
    ["with a made-up seal", (document) => void Object.assign(document, { seal: "ok" })],
  ])("%s falls, and nothing is run", async (name, change) => {
    const path = await changed(name.replaceAll(" ", "-"), change);
    const { code, out, err } = await verify(path, "--repo", await clone());
    if (name === "with other counts")
      expect([code, err]).toEqual([2, expect.stringContaining("no receipt")]);
    else expect([code, out]).toEqual([1, expect.stringMatching(/edited|no seal/)]);
  });

  test("with a command of its own never has it run", async () => {
    const there = await clone();
    const trace = join(elsewhere, "trace");
    const command = `touch '${trace}'`;
    const swap = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, part) => (key === "command" ? command : part)));
    const path = await changed("command", (document) => Object.assign(document, swap(document)));
    expect(await readFile(path, "utf8")).toContain("touch");
    expect((await verify(path, "--repo", there)).code).toBe(1);
    const by = ["--command", "node --test"];
    expect((await verify(path, "--repo", there, ...by)).code).toBe(1);
    expect(existsSync(trace)).toBe(false);
  });

  test("of another user cannot be told until the key is named", { tags: ["slow"] }, async () => {
    const there = await clone();
    const theirs = here.io({ env: { XDG_CONFIG_HOME: join(elsewhere, "config") } });
    const { code, out } = await here.run(theirs, "verify", file, "--repo", there);
    expect(code, out).toBe(2);
    expect(out).toContain("cannot be told here");
    expect(out).toContain("another key");
    const key = join(here.io().env.XDG_CONFIG_HOME ?? "", "ccw-loop", "receipt.key");
    const again = here.io({ env: { XDG_CONFIG_HOME: join(elsewhere, "config") } });
    const named = await here.run(again, "verify", file, "--repo", there, "--key", key);
    expect(named.code, named.out).toBe(0);
  });
});
