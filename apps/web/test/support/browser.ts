import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { startChromium } from "./chromium.ts";

/** The machine's own Chromium, which files of tests share and each closes behind its own; null where none starts. */
let browser = await startChromium();
export const hasBrowser = browser !== null;
export const closeBrowser = async () => browser?.close();

/** What a page must never do; a server that is down makes errors of its own. */
const ALLOWED =
  /Failed to load resource: (net::ERR_CONNECTION_REFUSED|the server responded with a status of (401|404|409|412))|net::ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET)/;

/** A browser of its own: nothing of it may be refused by the policy, fail, or go elsewhere than to `url`. */
export async function visitor(url: string, options: Parameters<Browser["newContext"]>[0] = {}) {
  if (!browser?.isConnected()) browser = await startChromium();
  if (browser === null) throw new Error("No browser starts here.");
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const faults: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error" && !ALLOWED.test(message.text())) faults.push(message.text());
  });
  context.on("weberror", (error) => faults.push(String(error.error())));
  context.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !asked.startsWith("blob:"))
      faults.push(`asked for ${asked}`);
  });
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  return context;
}

/** What axe finds wrong with a page as it is now, a line each. */
export async function findings(page: Page): Promise<string[]> {
  // By the debugger: the policy of the page lets no script in.
  const debug = await (page.context() as BrowserContext).newCDPSession(page);
  await debug.send("Runtime.evaluate", { expression: axe.source });
  const { result } = await debug.send("Runtime.evaluate", {
    awaitPromise: true,
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary))))`,
  });
  await debug.detach();
  return JSON.parse(result.value);
}
