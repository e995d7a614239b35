import { once } from "node:events";
import { cpSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startServe, tokenFileIn } from "../../apps/web/test/support/serve.ts";
import { makeRepository } from "../support/folders.ts";

const DEMO = join(import.meta.dirname, "../../packages/cli/demo");

export interface ServedProject extends AsyncDisposable {
  url: string;
  token: string;
  tokenFile: string;
  /** Settings of a loop whose agent repairs the project. */
  settings: { agent: string; verify: string; mode: "auto" };
  /** Pages of this origin may ask the server. */
  page: Page;
  /** Pages of this one may not. */
  strangePage: Page;
}

/** An empty page on a server of its own. */
export interface Page {
  origin: string;
  close(): void;
}

/** The demo's shopping cart, a git repository, served by `ccw-loop serve` in a process of its own. */
export async function servedProject(folder: string): Promise<ServedProject> {
  mkdirSync(folder);
  const project = join(folder, "cart");
  cpSync(join(DEMO, "cart"), project, { recursive: true });
  makeRepository(project, "Start");
  const home = join(folder, "home");
  const [page, strangePage] = await Promise.all([emptyPage(), emptyPage()]);
  const { url, token, end } = await startServe(project, home, "--origin", page.origin);
  return {
    url,
    token,
    tokenFile: tokenFileIn(home),
    settings: {
      agent: `scripted:${join(DEMO, "agent.yaml")}`,
      verify: "node --test --test-reporter=dot",
      mode: "auto",
    },
    page,
    strangePage,
    async [Symbol.asyncDispose]() {
      page.close();
      strangePage.close();
      await end("SIGTERM");
    },
  };
}

async function emptyPage(): Promise<Page> {
  const server = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end("<!doctype html><title>A page</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}
