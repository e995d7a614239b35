/** @module-tag slow */
import { afterAll, describe, expect, test, vi } from "vitest";
import { closeBrowser, findings, hasBrowser, visitor } from "../support/browser.ts";
import { PATIENCE, Served } from "../support/server.ts";

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)("in a real browser", { timeout: 180_000 }, () => {
  test("open tasks are moved by keys and by dragging, and two loops are compared", async () => {
    const server = await new Served().start();
    await server.loop("a", "First of them");
    await server.loop("b", "Second of them");
    for (const description of ["One", "Two", "Three"]) {
      const task = { description, tool: "codex", mode: "write", prompt_template: description };
      await server.ask("POST", "/api/loops/v2/a/tasks", task);
    }
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("loops/a"));
    const task = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    const handle = (name: string) => page.getByRole("button", { name: `Move "${name}"` });
    const inOrder = (...names: string[]) =>
      vi.waitFor(async () => {
        const labels = await page.getByRole("button", { name: /^Move / }).all();
        const found = await Promise.all(labels.map((one) => one.getAttribute("aria-label")));
        expect(found.map((label) => label?.split('"')[1])).toEqual(names);
      }, PATIENCE);
    await inOrder("One", "Two", "Three");
    await handle("Three").press("ArrowUp");
    await inOrder("One", "Three", "Two");
    await page.keyboard.press("ArrowUp");
    await inOrder("Three", "One", "Two");
    await task("Two").dragTo(task("Three"));
    await inOrder("Two", "Three", "One");
    expect(await findings(page)).toEqual([]);

    await page.getByRole("link", { name: "Compare", exact: true }).click();
    await page.getByLabel("with this one").selectOption({ label: "Second of them (b)" });
    const tasks = page.getByRole("row", { name: /^Tasks/ });
    await tasks.waitFor(PATIENCE);
    expect(await tasks.getByRole("cell").allTextContents()).toEqual(["0 of 3 done", "0 of 0 done"]);
    expect(page.url()).toBe(`${server.url}/compare?a=a&b=b`);
    expect(await findings(page)).toEqual([]);
  });

  test("notifications are off until they are asked for, then tell of a loop that needs a person", async () => {
    const server = await new Served().start();
    await server.loop("a", "Watched from afar");
    const context = await visitor(server.url, { permissions: ["notifications"] });
    await context.addInitScript(`
      window.shown = [];
      window.Notification = class extends Notification {
        constructor(title, options) {
          super(title, options);
          shown.push(title);
        }
      };
    `);
    const page = await context.newPage();
    await page.goto(await server.loginLink("settings"));
    await page.getByText("This browser can tell you").waitFor(PATIENCE);
    await page.getByRole("button", { name: "Turn them on" }).click();
    await page.getByText("This browser tells you").waitFor(PATIENCE);
    expect(await findings(page)).toEqual([]);
    await page.goto(`${server.url}/loops/a`);
    await page.getByRole("heading", { name: "Watched from afar" }).waitFor(PATIENCE);
    expect(await page.evaluate("shown")).toEqual([]);
    await server.ask("POST", "/api/loops/v2/a/start");
    const shown = () => page.evaluate("shown");
    await vi.waitFor(
      async () => expect(await shown()).toEqual(["Waiting for you: Watched from afar"]),
      PATIENCE,
    );
  });
});
