/** @module-tag slow */
import { afterAll, describe, expect, test } from "vitest";
import { button } from "../support/actions.ts";
import { closeBrowser, hasBrowser, visitor } from "../support/browser.ts";
import { watchJumps } from "../support/jumps.ts";
import { PATIENCE, PLANS, Served } from "../support/server.ts";

afterAll(closeBrowser);

const LINES = 25_000;
/** A thousand lines a second, some every 20 ms, as a verbose build prints them. */
const PRINTS = `const began = Date.now();
let printed = 0;
setInterval(() => {
  const due = Math.min(${LINES}, Date.now() - began);
  let text = "";
  for (; printed < due; printed += 1) text += "line " + printed + " of what a build says\\n";
  process.stdout.write(text);
}, 20);`;

const BUILDS = {
  ...{ action: "DEVELOP", repeat: true, when: "# ACTION: DEVELOP" },
  steps: [{ run: `node -e '${PRINTS}'` }],
  answer: "It is never there.",
};

const FIRST_SEEN = `(() => {
  const box = document.querySelector("[role=log]");
  const { left, top } = box.getBoundingClientRect();
  return document.elementFromPoint(left + 40, top + 40).textContent;
})()`;

describe.skipIf(!hasBrowser)("in a real browser", { timeout: 180_000 }, () => {
  test.each([
    { size: "a phone", viewport: { width: 360, height: 2400 } },
    { size: "a desktop", viewport: { width: 1200, height: 1600 } },
  ])(
    "on $size nothing jumps while 1,000 lines a second come, and what is read stays",
    async ({ viewport }) => {
      const server = await new Served({ turns: [PLANS, BUILDS] }).start();
      await server.loop("a", "Builds and builds");
      await server.startAtMenu("a");
      const context = await visitor(server.url, { viewport });
      const page = await context.newPage();
      await page.goto(await server.loginLink("loops/a"));
      await server.ask("POST", "/api/loops/v2/a/commands", { type: "choose", action: "DEVELOP" });
      const line = (number: number, tab = page) =>
        tab.getByRole("log").getByText(`line ${number} of`).waitFor(PATIENCE);
      await line(0);
      const jumps = await watchJumps(page);
      await line(12_000);
      expect((await jumps()).filter(({ inOutput }) => !inOutput)).toEqual([]);

      await page.evaluate("document.querySelector('[role=log]').scrollTop -= 2000");
      await button(page, "To the end").waitFor();
      const read = await page.evaluate(FIRST_SEEN);
      expect(read).toMatch(/^line \d+ of/);
      const before = (await jumps()).length;
      // Only 5,000 lines are kept of what is followed: there, what is read here has fallen out.
      const other = await context.newPage();
      await other.goto(`${server.url}/loops/a`);
      await line(20_000, other);
      await other.close();
      expect(await page.evaluate(FIRST_SEEN)).toBe(read);
      expect((await jumps()).slice(before)).toEqual([]);
      await button(page, "To the end").click();
      await line(LINES - 1);
    },
  );
});
