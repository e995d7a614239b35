import { join } from "node:path";
import { hostClient } from "@ccw-loop/api/client";
import type { BrowserContext, Page } from "playwright-core";
import { setup as buildPage } from "../../../../apps/web/test/built-page.ts";
import { requireChromium } from "../../../../apps/web/test/support/chromium.ts";
import { startServe } from "../../../../apps/web/test/support/serve.ts";

/** The dashboard of a folder's loops, with a server and a browser of their own. */
export interface Dashboard extends AsyncDisposable {
  url: string;
  /** A browser without anything in its cache, which is logged in. */
  open(): Promise<BrowserContext>;
}

/** Builds the page, and serves the loops of the folder with it. */
export async function dashboard(folder: string): Promise<Dashboard> {
  buildPage();
  const server = await startServe(folder, join(folder, "home"), "--no-drive");
  const { url, token } = server;
  const { login } = await hostClient({ url, token }).login();
  const browser = await requireChromium();
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
      await server.end();
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
