import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { tlsWarning } from "../src/runtime/tls-files.ts";
import { documentIn } from "./support/documents.ts";
import { CONFIG, type FakeIo } from "./support/fake-io.ts";
import { commitAll, hang, type Project, plan, project, stateOf, write } from "./support/project.ts";
import { listeningAt } from "./support/served.ts";

const YEAR = 365 * 24 * 60 * 60 * 1000;
const PATIENCE = { timeout: 30_000, interval: 10 };

/** `serve` in this process on a free port, once it says that it listens. */
async function serving(here: Project, ...args: string[]) {
  return servingTo(here, { tty: false }, ...args);
}

async function servingTo(here: Project, terminal: { tty: boolean }, ...args: string[]) {
  const io = here.io({ env: { HOME: here.dir, NO_COLOR: "1" }, ...terminal });
  const ended = here.run(io, "serve", "--port", "0", ...args);
  const url = await Promise.race([
    listeningAt(io),
    ended.then(({ err }) => Promise.reject(new Error(`It ended: ${err}`))),
  ]);
  await vi.waitFor(() => expect(io.err()).toContain("ccw-loop list --url"), PATIENCE);
  const file = join(CONFIG, "ccw-loop", "token");
  const token = readFileSync(file, "utf8").trim();
  const ask = (path: string, method = "GET", body?: object) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { io, url, token, file, ask, ended, end: () => ending(io, ended) };
}

async function ending<T>(io: FakeIo, ended: Promise<T>): Promise<T> {
  io.signal("SIGTERM");
  return ended;
}

test("a terminal, and no log, is given a URL that works once", async () => {
  await using here = await project(plan);
  const { io, end } = await servingTo(here, { tty: true });
  await vi.waitFor(() => expect(io.err()).toContain("ticket="), PATIENCE);
  const [, url = "", login = ""] =
    /dashboard.*: (\S+)\/#login=([0-9a-f]{64})$/m.exec(io.err()) ?? [];
  const logIn = () =>
    fetch(`${url}/api/session`, { method: "POST", headers: { authorization: `Login ${login}` } });
  expect([(await logIn()).status, (await logIn()).status]).toEqual([200, 401]);
  const [, ready = ""] = /'(http\S+)'/.exec(io.err()) ?? [];
  const stream = await fetch(ready);
  expect([stream.status, (await fetch(ready)).status]).toEqual([200, 401]);
  expect((await end()).code).toBe(0);
  await stream.text();
});

test("it says where it listens and where the token is, never the token", async () => {
  await using here = await project(plan);
  const { io, url, token, file, ask, end } = await serving(here, "--json");
  const err = io.err();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(err).toContain(`Serving the loops of ${here.dir}`);
  expect(err).toContain(`The token is in ${file}`);
  expect(err).toContain(`List the loops with: ccw-loop list --url ${url}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(err).toContain(`Open the dashboard: ${url}/\n`);
  expect((await ask("/api/loops/v2")).status).toBe(200);
  expect((await fetch(`${url}/api/loops/v2`)).status).toBe(401);
  const { code, out } = await end();
  expect(code).toBe(0);
  expect(documentIn("serve", out)).toEqual({ url, driven: [], given_back: [] });
  expect(io.err() + out).not.toContain(token);
});

test("what lets a browser in is written to a terminal, and never into a log", async () => {
  await using here = await project(plan);
  const { io, end } = await serving(here);
  expect((await end()).code).toBe(0);
  expect(io.err()).toContain("Serving the loops of");
  expect(io.err()).not.toContain("ticket");
});

test("it drives what is created over HTTP; SIGTERM gives a loop back running, and the next one ends it", async () => {
  await using here = await project(plan, hang, write("42"));
  await commitAll(here);
  const [, agent, , verify] = here.flags;
  const first = await serving(here, "--events");
  const settings = { agent: `scripted:${join(here.dir, "agent.json")}`, verify };
  expect(agent).toBe("scripted:agent.json");
  const loop = { id: "a", title: "find the answer", settings };
  expect((await first.ask("/api/loops/v2", "POST", loop)).status).toBe(201);
  expect((await first.ask("/api/loops/v2/a/start", "POST")).status).toBe(200);
  await vi.waitFor(() => expect(first.io.out()).toContain("echo thinking"), PATIENCE);
  expect((await first.end()).code).toBe(0);
  expect((await stateOf(here, "a")).status).toBe("running");

  const next = await serving(here, "--json");
  await vi.waitFor(async () => {
    const { data } = (await (await next.ask("/api/loops/v2/a")).json()) as { data: object };
    expect(data).toMatchObject({ status: "completed" });
  }, PATIENCE);
  const { out } = await next.end();
  expect(documentIn("serve", out)).toMatchObject({ driven: ["a"], given_back: [] });
});

test("--no-drive leaves the loops to another process; the second signal leaves at once", async () => {
  await using here = await project(plan, hang);
  await here.cli("start", "x", "--auto", ...here.flags, "--loop-id", "a");
  const idle = await serving(here, "--no-drive");
  const why = (await (await idle.ask("/api/loops/v2/a/why")).json()) as { data: object };
  expect(why.data).toMatchObject({ driven_by: null });
  expect((await idle.end()).code).toBe(0);
  expect((await stateOf(here, "a")).current_iteration).toBe(0);

  const busy = await serving(here, "--events");
  await vi.waitFor(() => expect(busy.io.out()).toContain("echo thinking"), PATIENCE);
  busy.io.signal("SIGINT");
  busy.io.signal("SIGINT");
  expect((await busy.ended).code).toBe(130);
});

test("several projects in one process, each under its folder's name", async () => {
  await using one = await project(plan);
  await using two = await project(plan);
  await two.cli("start", "x", "--auto", ...two.flags, "--loop-id", "of-two");
  const both = await serving(one, "--no-drive", "--project", one.dir, "--project", two.dir);
  const list = (await (await both.ask("/api/projects")).json()) as { data: { path: string }[] };
  expect(list.data).toHaveLength(2);
  const loops = async (path: string) =>
    ((await (await both.ask(`${path}/api/loops/v2`)).json()) as { total: number }).total;
  expect([await loops(""), await loops(list.data[1]?.path ?? "")]).toEqual([0, 1]);
  await both.end();
});

test("at a Unix socket it says how to ask there, and the file goes with it", async () => {
  await using here = await project(plan);
  const socket = join(here.dir, "own", "s");
  const io = here.io({ env: { HOME: here.dir } });
  const ended = here.run(io, "serve", "--socket", "own/s", "--no-drive");
  const told = `curl --unix-socket ${socket} -H @- `;
  await vi.waitFor(() => expect(io.err()).toContain(told), PATIENCE);
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(join(here.dir, "own")).mode & 0o777).toBe(0o700);
  // The token goes through a pipe, not into the arguments of a program.
  expect(io.err()).toContain(`with: printf 'Authorization: Bearer %s\\n' "$(cat ${CONFIG}/`);
  expect((await ending(io, ended)).code).toBe(0);
  expect(existsSync(socket)).toBe(false);
});

test.each<[string[], number, string]>([
  [["--host", "0.0.0.0"], 2, "--public"],
  [["--project", "/nowhere"], 2, "/nowhere is not a folder"],
  [["--port", "70000"], 2, "Use a port from 1 to 65535"],
  [["--socket", "s", "--port", "1"], 2, "cannot be used with option '--port"],
  [["--origin", "board"], 2, "is no origin"],
  [["--allow-host", "http://x"], 2, "is no host"],
  [["--concurrency", "0"], 2, "whole number"],
  [["--tls-cert", "check.mjs"], 2, "TLS needs both: --tls-cert FILE and --tls-key FILE."],
  [["--tls-cert", "gone", "--tls-key", "check.mjs"], 2, "gone cannot be read"],
  [["--tls-cert", "check.mjs", "--tls-key", "check.mjs"], 2, "no certificate and its key in PEM"],
  [["--tls-cert", "/dev/null", "--tls-key", "check.mjs"], 2, "/dev/null is empty"],
])("serve %j is refused with the next step", async (args, code, text) => {
  await using here = await project(plan);
  const ran = await here.cli("serve", ...args);
  expect([ran.code, ran.out]).toEqual([code, ""]);
  expect(ran.err).toContain(text);
});

test.runIf(works("openssl", "version"))(
  "with a certificate it speaks TLS, on an address that others reach",
  async () => {
    await using here = await project(plan);
    const made = ["-keyout", join(here.dir, "key.pem"), "-out", join(here.dir, "cert.pem")];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
    execFileSync("openssl", ["req", "-x509", ...kind, ...names, ...made], { stdio: "ignore" });
    const tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    const { url, io, end } = await serving(here, "--no-drive", "--host", "0.0.0.0", ...tls);
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const ca = readFileSync(join(here.dir, "cert.pem"));
    const warnedAt = (ms: number) =>
      tlsWarning("cert.pem", { cert: String(ca), key: "" }, new Date(ms));
    expect(io.err()).not.toContain("clients refuse it");
    expect(warnedAt(Date.now() + YEAR)).toMatch(
      /^The certificate cert\.pem ended at .*Z, so clients/,
    );
    expect(warnedAt(Date.now() - YEAR)).toMatch(
      /^The certificate cert\.pem begins at .*Z, so clients/,
    );
    const [answer] = await once(get(`${url}/api/health`, { ca }), "response");
    expect(answer.resume().statusCode).toBe(200);
    expect(io.err()).not.toContain("in the clear");
    expect((await end()).code).toBe(0);
  },
);

test("a port that is taken names --port", async () => {
  await using here = await project(plan);
  const first = await serving(here, "--no-drive");
  const { port } = new URL(first.url);
  const io = here.io({ env: { HOME: here.dir } });
  const { code, err } = await here.run(io, "serve", "--port", port);
  expect(code).toBe(2);
  expect(err).toContain(
    `Port ${port} of 127.0.0.1 is taken by another process. Choose another one with --port N.`,
  );
  await first.end();
});
