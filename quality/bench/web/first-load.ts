/**
 * What a browser loads to show the dashboard for the first time, and when it has its first picture and its loops, beside a
 * page that is one static document.
 *   node quality/bench/web/first-load.ts [loads]
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { makeLoop } from "../../../apps/tui/test/support/make-loop.ts";
import { machine, percentiles } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { dashboard } from "./support/dashboard.ts";

const LOADS = Number(process.argv[2] ?? 15);
const MOST = 200_000;

const folder = temporaryFolder("bench");
await makeLoop(folder);
await using served = await dashboard(folder);
const plain = createServer((_, response) => {
  response.setHeader("content-type", "text/html");
  response.end("<!doctype html><html lang=en><title>Loops</title><h1>The sum</h1></html>");
});
await once(plain.listen(0, "127.0.0.1"), "listening");
const { port } = plain.address() as AddressInfo;

/** Milliseconds until something was painted, as the browser itself says. */
const PAINTED = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const paint = list.getEntriesByName("first-contentful-paint")[0];
    if (paint) resolve(paint.startTime);
  }).observe({ type: "paint", buffered: true });
})`;

async function load(context: BrowserContext, url: string, shows: string) {
  const page = await context.newPage();
  const sizes: Promise<{ kind: string; bytes: number }>[] = [];
  page.on("requestfinished", (request) => {
    const kind = request.url().includes("/api/") ? "answers" : "files";
    sizes.push(request.sizes().then(({ responseBodySize: bytes }) => ({ kind, bytes })));
  });
  await page.goto(url);
  await page.locator(shows).first().waitFor();
  const shown = (await page.evaluate("performance.now()")) as number;
  const painted = (await page.evaluate(PAINTED)) as number;
  const loaded = await Promise.all(sizes);
  await context.close();
  return { painted, shown, loaded };
}

const ours = [];
const statics = [];
for (let n = 0; n < LOADS; n += 1) {
  statics.push(await load(await served.open(), `http://127.0.0.1:${port}/`, "h1"));
  ours.push(await load(await served.open(), `${served.url}/`, ".loops a"));
}
plain.close();
const files = (ours[0]?.loaded ?? []).filter(({ kind }) => kind === "files");
const bytes = files.reduce((sum, one) => sum + one.bytes, 0);

console.log(`machine: ${machine()}`);
console.log(`first load: ${bytes} bytes compressed, ${files.length} files (aim: at most ${MOST})`);
console.log(`first picture: ${percentiles(ours.map(({ painted }) => painted))}`);
console.log(`of a static page: ${percentiles(statics.map(({ painted }) => painted))}`);
console.log(`until the loops are there: ${percentiles(ours.map(({ shown }) => shown))}`);
if (bytes > MOST) process.exitCode = 1;
