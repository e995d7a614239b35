import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { setup as buildPage } from "../../../../apps/web/test/built-page.ts";

const CHROMIUM = process.env.CCW_LOOP_CHROMIUM ?? "/usr/bin/chromium";

/** The dashboard of a folder's loops, with a server and a browser of their own. */
export interface Dashboard extends AsyncDisposable {
  url: string;
  /** A browser without anything in its cache, which is logged in. */
  open(): Promise<BrowserContext>;
}

/** Builds the page, and serves the loops of the folder with it. */
export async function dashboard(folder: string): Promise<Dashboard> {
  buildPage();
  const server = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(server.stdout), "line");
  const { url, login } = JSON.parse(line) as { url: string; login: string };
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(`${url}/#login=${login}`);
  await page.getByRole("link", { name: "New loop" }).first().waitFor();
  const storageState = await first.storageState();
  await first.close();
  return {
    url,
    open: () => browser.newContext({ storageState, viewport: { width: 1200, height: 800 } }),
    async [Symbol.asyncDispose]() {
      await browser.close();
      const gone = once(server, "exit");
      server.kill("SIGKILL");
      await gone;
    },
  };
}

/** What a page holds when its garbage is collected. */
export async function heldBy(page: Page): Promise<string> {
  const debug = await page.context().newCDPSession(page);
  await debug.send("HeapProfiler.collectGarbage");
  await debug.send("Performance.enable");
  const { metrics } = await debug.send("Performance.getMetrics");
  await debug.detach();
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return `${(of("JSHeapUsedSize") / 1e6).toFixed(1)} MB of JavaScript, ${of("Nodes")} nodes`;
}
