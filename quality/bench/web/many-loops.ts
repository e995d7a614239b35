/**
 * Ten thousand loops on the dashboard: when the first and when all of them are there, from a key to its picture, and what the
 * page reads and holds.
 *   node quality/bench/web/many-loops.ts [loops]
 */
import { loopsIn } from "../../../apps/tui/test/support/make-loop.ts";
import { machine, percentiles } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { dashboard, heldBy } from "./support/dashboard.ts";

const LOOPS = Number(process.argv[2] ?? 10_000);
const TEXTS = ["7", "77", "777", "77", "7", "73", "731", "73", "7"];
const ROUNDS = 5;

const folder = temporaryFolder("bench");
await using loops = loopsIn(folder);
for (let n = 0; n < LOOPS; n += 50) {
  const ids = Array.from({ length: Math.min(50, LOOPS - n) }, (_, k) => n + k);
  await Promise.all(
    ids.map((id) => loops.service.create({ id: `loop-${id}`, description: `Repair part ${id}` })),
  );
}
await using served = await dashboard(folder);
const page = await (await served.open()).newPage();
let read = 0;
page.on("requestfinished", async (request) => {
  if (!request.url().includes("/api/summaries")) return;
  const { responseBodySize } = await request.sizes();
  read += responseBodySize;
});
const began = performance.now();
await page.goto(`${served.url}/?sort=newest`);
await page.locator(".loops a").first().waitFor();
const first = performance.now() - began;
await page.locator('.loops[aria-busy="false"]').waitFor();
const all = performance.now() - began;

/** Resolves with the time of the frame in which so many loops fit the search. */
const isShown = (wanted: number) =>
  `new Promise((resolve) => {
    const look = () => document.querySelector(".loops li")?.getAttribute("aria-setsize") === "${wanted}"
      ? resolve(Date.now())
      : requestAnimationFrame(look);
    look();
  })`;
const fitting = (text: string) =>
  Array.from({ length: LOOPS }, (_, n) => `${n}`).filter((n) => n.includes(text)).length;
const searches: number[] = [];
const field = page.locator("input[type=search]");
await field.focus();
for (let round = 0; round < ROUNDS; round += 1) {
  await field.fill("");
  let before = "";
  for (const text of TEXTS) {
    const since = Date.now();
    await page.keyboard.press(text.length > before.length ? text.slice(-1) : "Backspace");
    searches.push(Number(await page.evaluate(isShown(fitting(text)))) - since);
    before = text;
  }
}

console.log(`machine: ${machine()}`);
console.log(
  `${LOOPS} loops: the first after ${first.toFixed(0)} ms, all after ${all.toFixed(0)} ms, read in ${(read / 1e6).toFixed(1)} MB`,
);
console.log(`search, key to picture: ${percentiles(searches)}`);
console.log(`held: ${await heldBy(page)}`);
