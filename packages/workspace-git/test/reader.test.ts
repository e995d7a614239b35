import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { isAlive } from "@ccw-loop/testkit";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A PATH with a `git` that writes down the process of each `git cat-file`, or of another command, and those that it wrote down. */
async function watched(command = "cat-file") {
  const bin = await place({ readers: "" });
  const file = join(bin, "readers");
  const script = [
    "#!/bin/sh",
    `PATH=\${PATH#*${delimiter}}`,
    `[ "$1" = ${command} ] && echo $$ >>'${file}'`,
    'exec git "$@"',
  ];
  await writeFile(join(bin, "git"), `${script.join("\n")}\n`, { mode: 0o755 });
  const readers = async () =>
    (await readFile(file, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map(Number);
  return { path: [bin, process.env.PATH].join(delimiter), readers };
}

test("one process reads objects until nobody asked it for ten minutes", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const { path, readers } = await watched();
  vi.stubEnv("PATH", path);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const workspace = gitWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  const ask = () => workspace.read(commit, ["a.txt"]);
  await ask();
  vi.advanceTimersByTime(9 * 60_000);
  await ask();
  expect(await readers()).toHaveLength(1);
  vi.advanceTimersByTime(10 * 60_000);
  await ask();
  expect(await readers()).toHaveLength(2);
});

test("another process reads objects when the one before was ended", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const { path, readers } = await watched();
  vi.stubEnv("PATH", path);
  const workspace = gitWorkspace(cwd);
  const { commit } = await workspace.checkpoint("loop", 0, "Start");
  const [reader = 0] = await readers();
  process.kill(reader, "SIGINT");
  await vi.waitFor(() => expect(isAlive(reader)).toBe(false));
  expect(await workspace.read(commit, ["a.txt"])).toHaveLength(1);
});

test("a checkpoint has its ref when the process that makes refs was ended", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const { path, readers } = await watched("update-ref");
  vi.stubEnv("PATH", path);
  const workspace = gitWorkspace(cwd);
  await workspace.checkpoint("loop", 0, "Start");
  const [writer = 0] = await readers();
  process.kill(writer, "SIGKILL");
  await fill(cwd, { "a.txt": "b" });
  const { commit } = await workspace.checkpoint("loop", 1, "Second");
  expect((await userGit(cwd, "rev-parse", "refs/ccw-loop/loop/1")).trim()).toBe(commit);
});

test("a checkpoint has its ref where git makes one ref in a process only", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const bin = await place({});
  const script = `#!/bin/sh\nPATH=\${PATH#*${delimiter}}\ncase "$*" in *update-ref*--stdin*) exit 128 ;; esac\nexec git "$@"\n`;
  await writeFile(join(bin, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", [bin, process.env.PATH].join(delimiter));
  const { commit } = await gitWorkspace(cwd).checkpoint("loop", 0, "Start");
  expect((await userGit(cwd, "rev-parse", "refs/ccw-loop/loop/0")).trim()).toBe(commit);
});

test.each(["is done", "is killed"])("no process reads objects when ours %s", async (how) => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const { path, readers } = await watched();
  const stays = how === "is killed" ? "1" : "";
  const child = spawn(process.execPath, [join(import.meta.dirname, "reading.ts")], {
    env: { ...process.env, PATH: path, CWD: cwd, STAYS: stays },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  const [reader = 0] = await readers();
  if (stays !== "") {
    expect(isAlive(reader)).toBe(true);
    child.kill("SIGKILL");
  }
  expect(await ended).toEqual(stays === "" ? [0, null] : [null, "SIGKILL"]);
  await vi.waitFor(() => expect(isAlive(reader)).toBe(false));
});

test("git that cannot be started because too many files are open is not said to be missing", async () => {
  const cwd = await repositoryWith({ "a.txt": "a" });
  const script = join(import.meta.dirname, "few-files.ts");
  const command = `ulimit -n 64 && exec "$0" "$1"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, script], {
    env: { ...process.env, CWD: cwd },
  });
  const { code, message } = JSON.parse(stdout);
  expect(code).toBe("system_unavailable");
  expect(message).toContain("Raise the limit of open files (ulimit -n)");
});
