import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface GitServerOptions {
  /** The folder of its bare repositories. */
  root: string;
  /** `user:password` that it asks for; it lets everybody read and write otherwise. */
  credentials?: string;
}

/** A git server over HTTP on 127.0.0.1: git's own, behind a socket of this process. */
export interface GitServer extends AsyncDisposable {
  /** Of the root: a repository is `{url}/NAME.git`. */
  readonly url: string;
  /** Goes away: connections are refused, and those that are open are cut. */
  stop(): Promise<void>;
  /** Comes back at the same address. */
  start(): Promise<void>;
}

export async function gitServer({ root, credentials }: GitServerOptions): Promise<GitServer> {
  let server: Server | undefined;
  let port = 0;
  const start = async () => {
    server = createServer((request, response) => answer(request, response, { root, credentials }));
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async () => {
    if (!server?.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await start();
  return { url: `http://127.0.0.1:${port}`, start, stop, [Symbol.asyncDispose]: stop };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { root, credentials }: { root: string; credentials: string | undefined },
): void {
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  if (wanted && request.headers.authorization !== wanted) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    return;
  }
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: type ?? "",
      HTTP_CONTENT_ENCODING: encoding ?? "",
      // Who may write.
      REMOTE_USER: "somebody",
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  backend.stdin.on("error", () => undefined);
  request.pipe(backend.stdin);
  let head = Buffer.alloc(0);
  backend.stdout.on("data", (data: Buffer) => {
    if (response.headersSent) return void response.write(data);
    head = Buffer.concat([head, data]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = head.subarray(0, end).toString().split("\r\n");
    let status = 200;
    for (const line of lines) {
      const colon = line.indexOf(":");
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name.toLowerCase() === "status") status = Number(value.split(" ")[0]);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
  });
  backend.once("close", () => response.end());
}
