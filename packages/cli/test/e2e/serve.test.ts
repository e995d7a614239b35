import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { PATIENCE } from "../support/processes.ts";
import { plan, project } from "../support/project.ts";
import { serving } from "../support/serve-process.ts";

const LOOPS = 4;
const KILLS = 3;

test("kill -9 while changes are written: every one that was answered is there at the next start", async () => {
  await using here = await project(plan);
  const settings = { agent: `scripted:${join(here.dir, "agent.json")}` };
  const ids = Array.from({ length: LOOPS }, (_, n) => `loop-${n}`);
  /** By loop, the newest change that was answered, and the newest that was asked for. */
  const answered = new Map<string, number>();
  const asked = new Map<string, number>();
  let writes = 0;
  for (let round = 0; round < KILLS; round++) {
    const { ask, kill } = await serving(here.dir);
    if (round === 0) for (const id of ids) await ask("POST", "", { id, title: id, settings });
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
    await kill();
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
  const { child, url, token, kill } = await serving(here.dir);
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
  for (const file of process.platform === "linux" ? ["cmdline", "environ"] : []) {
    const text = readFileSync(`/proc/${child.pid}/${file}`, "utf8");
    expect(text.length).toBeGreaterThan(0);
    expect(text).not.toContain(token);
  }
  await kill();
});
