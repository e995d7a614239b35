import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { documentIn } from "./support/documents.ts";
import { ownConfig, put } from "./support/own-module.ts";
import { type Project, plan, project, write } from "./support/project.ts";

const PATIENCE = { timeout: 30_000, interval: 10 };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** A receiver that answers 204; the first `hanging` requests never. */
async function receiver({ hanging = 0 } = {}) {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (got.push({ headers: request.headers, body }) > hanging) response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/s3cret`, got };
}

const ids = ({ got }: Awaited<ReturnType<typeof receiver>>) =>
  got.map(({ headers }) => headers["webhook-id"]);
const owed = ({ dir }: Project) => readdirSync(join(dir, ".workflow", ".loop", ".messages"));
const RUN = ["run", "x", "--auto", "--loop-id", "a", "--create"];

test("run sends a message before it ends, and config tells of webhooks without their secrets", async () => {
  await using here = await project(plan, write("42"));
  await using own = await ownConfig();
  const there = await receiver();
  const team = { url: { env: "HOOK" }, secret: SECRET, states: ["proven", "failed"] };
  await own.write({ webhooks: { team, gone: { url: { env: "GONE" }, format: "slack" } } });
  const env = { ...own.env, HOOK: there.url };
  const cli = (...args: string[]) => here.run(here.io({ env }), ...args);

  const ran = await cli(...RUN, ...here.flags);
  expect(ran.code, ran.err).toBe(0);
  expect(ids(there)).toEqual([expect.stringMatching(/^a\.\d+\.proven$/)]);
  expect(ran.err.match(/webhooks\.gone\.url is to come from GONE, which is not set/g)).toHaveLength(
    1,
  );
  expect(owed(here)).toEqual([]);

  const shown = await cli("config", "show");
  const host = new URL(there.url).host;
  expect(shown.out).toContain(`Webhook team: json to ${host}, for proven, failed`);
  expect(shown.out).toContain("Webhook gone: webhooks.gone.url is to come from GONE");
  const tried = await cli("config", "test-webhook", "team", "--json");
  expect(documentIn("config test-webhook", tried.out)).toMatchObject({ delivered: true, host });
  expect(JSON.parse(there.got.at(-1)?.body ?? "")).toMatchObject({ data: { sample: true } });
  expect((await cli("config", "test-webhook", "other")).err).toContain("Use one of: team, gone");
  for (const { out, err } of [ran, shown, tried]) {
    expect(`${out}${err}`).not.toContain("s3cret");
    expect(`${out}${err}`).not.toContain(SECRET);
  }
});

test("a message of a process that was killed is sent by the next one, under the same id", {
  tags: ["slow"],
}, async () => {
  await using here = await project(plan, write("42"));
  await using own = await ownConfig();
  const there = await receiver({ hanging: 1 });
  await own.write({ webhooks: { team: { url: there.url, secret: SECRET } } });
  const env = { ...process.env, ...own.env, HOME: here.dir, NO_COLOR: "1" };
  const args = [BIN, ...RUN, ...here.flags];
  const child = spawn(process.execPath, args, { cwd: here.dir, env, stdio: "ignore" });
  await vi.waitFor(() => expect(there.got).toHaveLength(1), PATIENCE);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(owed(here)).toHaveLength(1);

  const io = here.io({ env: own.env });
  const supervisor = here.run(io, "supervise");
  await vi.waitFor(() => expect(there.got).toHaveLength(2), PATIENCE);
  io.signal("SIGTERM");
  expect((await supervisor).code).toBe(0);
  const [first, ...others] = ids(there);
  expect(first).toMatch(/^a\.\d+\.proven$/);
  expect(others).toEqual([first]);
  expect(owed(here)).toEqual([]);
});

test("a project names no webhooks, and a wrong one is refused by its place", async () => {
  await using here = await project(plan, write("42"));
  await using own = await ownConfig();
  const cli = (...args: string[]) => here.run(here.io({ env: own.env }), ...args);
  await put(join(here.dir, ".workflow/ccw-loop.json"), '{ "webhooks": {} }');
  const { code, err } = await cli(...RUN, ...here.flags);
  expect(code).toBe(2);
  expect(err).toContain("agents can write that file, and this says where messages about loops go.");
  await put(join(here.dir, ".workflow/ccw-loop.json"), "{}");
  await own.write({ webhooks: { team: { url: "https://a.example/s3cret", states: ["done"] } } });
  const wrong = await cli("config", "show");
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain(
    `webhooks.team.states.0 in ${own.file} is wrong: use some of: needs you, limit, proven, accepted, failed.`,
  );
  expect(wrong.err).not.toContain("s3cret");
});
