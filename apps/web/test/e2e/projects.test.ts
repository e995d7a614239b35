/** @module-tag slow */
import { basename } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { button, confirm } from "../support/actions.ts";
import { closeBrowser, findings, hasBrowser, visitor } from "../support/browser.ts";
import { PATIENCE, Served } from "../support/server.ts";

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)("in a real browser", { timeout: 180_000 }, () => {
  test("home shows the loops of all projects, live, and each opens in its own", async () => {
    const server = new Served();
    const other = new Served();
    await server.start("--project", server.dir, "--project", other.dir);
    const name = basename(other.dir);
    const path = `/projects/${name}/api/loops/v2`;
    const make = (at: string, id: string, title: string) =>
      server.ask("POST", at, { id, title, settings: { agent: server.agent, mode: "interactive" } });
    await make("/api/loops/v2", "a", "Mine");
    await make(path, "a", "Of the other one");
    const page = await (
      await visitor(server.url, { viewport: { width: 360, height: 740 } })
    ).newPage();
    await page.goto(await server.loginLink());
    const titles = () => page.locator(".loops .title").allTextContents();
    const shown = (...wanted: string[]) =>
      vi.waitFor(async () => expect(await titles()).toEqual(wanted), PATIENCE);
    await shown(`${name} Of the other one`, `${basename(server.dir)} Mine`);
    expect(await findings(page)).toEqual([]);
    const over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(over)).toBe(0);

    await make(path, "b", "Made just now");
    await page.getByText("Made just now").waitFor(PATIENCE);
    await server.ask("DELETE", `${path}/b`);
    await page.getByText("Made just now").waitFor({ state: "hidden", ...PATIENCE });
    await page.getByLabel("Search in titles").fill(name);
    await shown(`${name} Of the other one`);

    await page.getByRole("link", { name: /Of the other one/ }).click();
    await page.getByRole("heading", { name: "Of the other one" }).waitFor(PATIENCE);
    expect(page.url()).toBe(`${server.url}/projects/${name}/loops/a`);
    await button(page, "Start").click();
    await confirm(page, "Start", "The project's tests are run as they are");
    await page.goBack();
    await shown(`${name} Of the other one`);
    await page
      .getByRole("link", { name: /Of the other one/ })
      .getByText("waits for input")
      .waitFor(PATIENCE);
    await page.getByLabel("Project", { exact: true }).selectOption(name);
    await shown("Of the other one");
    await page.getByLabel("Project", { exact: true }).selectOption("All projects");
    await page.getByText("Mine").waitFor(PATIENCE);
    expect(await page.getByLabel("Project", { exact: true }).inputValue()).toBe("");
  });
});
