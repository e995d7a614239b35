import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE } from "../support/processes.ts";
import { plan, project } from "../support/project.ts";

const BIN = fileURLToPath(new URL("../../bin/ccw-loop.js", import.meta.url));
const LOOPS = 4;
const KILLS = 3;

interface Serving {
  child: ChildProcess;
  url: string;
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
}

/** `ccw-loop serve` as a process of its own, once it listens. */
async function serving(cwd: string, ...args: string[]): Promise<Serving> {
  const env = { ...process.env, HOME: cwd, XDG_CONFIG_HOME: "", NO_COLOR: "1" };
  const argv = [BIN, "serve", "--port", "0", "--no-drive", ...args];
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  child.stderr.on("data", (data) => (err += data));
  const url = await vi.waitFor(() => {
    const [, found] = /^Listening at (\S+)$/m.exec(err) ?? [];
    if (found === undefined) throw new Error(`It does not listen: ${err}`);
    return found;
  }, PATIENCE);
  const token = readFileSync(join(cwd, ".config", "ccw-loop", "token"), "utf8").trim();
  return {
    child,
    url,
    async ask(method, path, body) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(`${url}/api/loops/v2${path}`, init);
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { data: Record<string, unknown> }).data;
    },
  };
}

test("kill -9 while changes are written: every one that was answered is there at the next start", async () => {
  await using here = await project(plan);
  const ids = Array.from({ length: LOOPS }, (_, n) => `loop-${n}`);
  /** By loop, the newest change that was answered, and the newest that was asked for. */
  const answered = new Map<string, number>();
  const asked = new Map<string, number>();
  let writes = 0;
  for (let round = 0; round < KILLS; round++) {
    const { child, ask } = await serving(here.dir);
    if (round === 0) for (const id of ids) await ask("POST", "", { id, title: id });
    for (const id of ids) {
      const { max_iterations = 0 } = await ask("GET", `/${id}`);
      expect(max_iterations, id).toBeGreaterThanOrEqual(answered.get(id) ?? 0);
      expect(max_iterations, id).toBeLessThanOrEqual(asked.get(id) ?? Number(max_iterations));
    }
    const before = writes;
    const writers = ids.map(async (id): Promise<never> => {
      for (;;) {
        const next = (asked.get(id) ?? 100) + 1;
        asked.set(id, next);
        await ask("PUT", `/${id}`, { max_iterations: next });
        answered.set(id, next);
        writes += 1;
      }
    });
    const ended = Promise.allSettled(writers);
    await vi.waitFor(() => expect(writes - before).toBeGreaterThan(10 + 7 * round), PATIENCE);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    expect((await ended).map(({ status }) => status)).toEqual(ids.map(() => "rejected"));
  }
  const { child, ask } = await serving(here.dir);
  for (const id of ids) {
    const { max_iterations } = await ask("GET", `/${id}`);
    expect([answered.get(id), asked.get(id)], id).toContain(max_iterations);
  }
  child.kill("SIGTERM");
  expect((await once(child, "exit"))[0]).toBe(0);
});

test("the token is in no argument and no environment of the process", async () => {
  await using here = await project(plan);
  const { child, url } = await serving(here.dir);
  const token = readFileSync(join(here.dir, ".config", "ccw-loop", "token"), "utf8").trim();
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
  for (const file of process.platform === "linux" ? ["cmdline", "environ"] : []) {
    const text = readFileSync(`/proc/${child.pid}/${file}`, "utf8");
    expect(text.length).toBeGreaterThan(0);
    expect(text).not.toContain(token);
  }
  child.kill("SIGKILL");
});
