import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { request as tlsRequest } from "node:https";

import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { raw, served, statuses, TOKEN, wire } from "./served.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ccw-listen-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const faces = Object.values(networkInterfaces()).flat();
const onIpv6 = ["::1", "::ffff:127.0.0.1", "0:0:0:0:0:ffff:7f00:1"];

test.each(["127.0.0.1", ...(faces.some((face) => face?.address === "::1") ? onIpv6 : [])])(
  "listening at %s it answers under every spelling of a loopback address",
  async (host) => {
    const { port, ask } = await served({ listen: { host, port: 0 } });
    const from = host === "::1" ? "::1" : "127.0.0.1";
    expect((await ask("/api/loops/v2")).status).toBe(200);
    for (const name of ["127.0.0.1", "[::ffff:127.0.0.1]", "[0:0:0:0:0:FFFF:127.0.0.1]", "[::1]"]) {
      const lines = wire("GET /api/loops/v2", { host: `${name}:${port}`, connection: "close" });
      const answer = await raw(port, lines, undefined, from);
      expect(statuses(answer), name).toEqual([200]);
    }
    const strange = wire("GET /api/loops/v2", { host: "[::ffff:192.0.2.1]", connection: "close" });
    const answer = await raw(port, strange, undefined, from);
    expect(statuses(answer)).toEqual([403]);
  },
);

test.each(["0.0.0.0", "::", "::ffff:0.0.0.0", "192.0.2.1"])(
  "an address that others reach is refused unless it is said, and the refusal names TLS: %s",
  async (host) => {
    await expect(served({ listen: { host, port: 0 } })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/other machines.*reverse proxy.*TLS.*--public/),
    });
  },
);

test("publicly it listens everywhere, and still answers no host that it does not know", async () => {
  const { url, ask } = await served({ listen: { host: "0.0.0.0", port: 0 }, publicly: true });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await ask("/api/loops/v2")).status).toBe(200);
  expect((await ask("/api/loops/v2", { headers: { authorization: "" } })).status).toBe(401);
});

const own = faces.find((face) => face?.family === "IPv4" && !face.internal)?.address;

test.runIf(own)("an address that it listens at is a host that it knows", async () => {
  const { url, ask } = await served({ listen: { host: own ?? "", port: 0 }, publicly: true });
  expect(url).toContain(own);
  expect((await ask("/api/loops/v2")).status).toBe(200);
});

test("a host without an address, and a port that is taken, are told with the next step", async () => {
  const host = "no-such-host.invalid";
  await expect(served({ listen: { host } })).rejects.toMatchObject({
    message: `There is no address for the host ${host}. Choose another one with --host ADDRESS.`,
  });
  for (const strange of [host, "192.0.2.1"]) {
    const listen = { host: strange, port: 0 };
    await expect(served({ listen, publicly: true })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Port 0 of \S+ .*\. Choose another one with --host ADDRESS\.$/,
      ),
    });
  }
  const { port } = await served();
  await expect(served({ listen: { port } })).rejects.toMatchObject({
    code: "invalid_input",
    message: `Port ${port} of 127.0.0.1 is taken by another process. Choose another one with --port N.`,
  });
});

test("a token that could be guessed is refused", async () => {
  await expect(served({ token: "secret" })).rejects.toMatchObject({ code: "invalid_input" });
});

test("without a token the user's file has it", async () => {
  const tokenFile = join(folder, "private", "token");
  const { server, url } = await served({ tokenFile });
  expect(server.tokenFile).toBe(tokenFile);
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}` };
  expect((await fetch(`${url}/api/loops/v2`, { headers })).status).toBe(200);
});

function overSocket(socketPath: string, authorization: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { host: "localhost", authorization };
  request({ socketPath, path: "/api/loops/v2", headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  })
    .on("error", reject)
    .end();
  return promise;
}

test("a Unix socket is its owner's alone, asks for the token all the same, and goes with the server", async () => {
  const socket = join(folder, "s");
  const { server } = await served({ listen: { socket } });
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(await overSocket(socket, `Bearer ${TOKEN}`)).toBe(200);
  expect(await overSocket(socket, "")).toBe(401);
  await expect(served({ listen: { socket } })).rejects.toMatchObject({
    message: expect.stringContaining(`Another server listens at ${socket}`),
  });
  expect(await overSocket(socket, `Bearer ${TOKEN}`)).toBe(200);
  await server.close();
  expect(existsSync(socket)).toBe(false);
});

test("a socket that a killed server left is replaced; anything else is not", async () => {
  const socket = join(folder, "s");
  const leave = `require("net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, "SIGKILL"))`;
  expect(() => execFileSync(process.execPath, ["-e", leave], { stdio: "ignore" })).toThrow();
  expect(statSync(socket).isSocket()).toBe(true);
  await served({ listen: { socket } });
  expect(await overSocket(socket, `Bearer ${TOKEN}`)).toBe(200);

  const file = join(folder, "file");
  writeFileSync(file, "precious");
  await expect(served({ listen: { socket: file } })).rejects.toMatchObject({
    message: `${file} is there already and is no socket.`,
  });
  expect(readFileSync(file, "utf8")).toBe("precious");
  const long = join(folder, "x".repeat(120));
  await expect(served({ listen: { socket: long } })).rejects.toThrow("too long for a socket");
  const nowhere = join(folder, "none", "nor", "s");
  await expect(served({ listen: { socket: nowhere } })).rejects.toThrow(
    "nor is not there and cannot be made.",
  );
});

test("slow headers have a bound of their own", async () => {
  const { port } = await served({ limits: { headersMs: 100, requestMs: 60_000 } });
  const answer = await raw(port, "GET / HTTP/1.1\r\nhost: localhost\r\n");
  expect(statuses(answer)).toEqual([408]);
});

test.runIf(works("openssl", "version"))("with TLS it may listen publicly", async () => {
  const [key, cert] = [join(folder, "key"), join(folder, "cert")];
  const make = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const names = ["-subj", "/CN=localhost", "-keyout", key, "-out", cert];
  execFileSync("openssl", [...make, ...names], { stdio: "ignore" });
  const tls = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  const { url, port } = await served({ tls, listen: { host: "0.0.0.0", port: 0 } });
  expect(url).toBe(`https://127.0.0.1:${port}`);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const options = { port, path: "/api/loops/v2", headers, ca: tls.cert, servername: "localhost" };
  tlsRequest({ ...options, checkServerIdentity: () => undefined }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  })
    .on("error", reject)
    .end();
  expect(await promise).toBe(200);
  // Who does not speak TLS gets no answer in the clear.
  expect(await raw(port, "GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n")).not.toContain(
    "ok",
  );
});
