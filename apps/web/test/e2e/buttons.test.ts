/** @module-tag slow */
import { afterAll, describe, expect, test, vi } from "vitest";
import { answer, button, confirm } from "../support/actions.ts";
import { closeBrowser, hasBrowser, visitor } from "../support/browser.ts";
import { PATIENCE, PLANS, Served } from "../support/server.ts";

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)("in a real browser", { timeout: 180_000 }, () => {
  test("filters and orders of the list, and the way back to all loops", async () => {
    const server = await new Served().start();
    await server.loop("one", "Bees");
    await server.loop("two", "Ants");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink());
    const titles = () => page.locator(".loops .title").allTextContents();
    await vi.waitFor(async () => expect(await titles()).toEqual(["Ants", "Bees"]), PATIENCE);
    await page.getByLabel("Order").selectOption("by title");
    expect(page.url()).toBe(`${server.url}/?sort=name`);
    await page.getByLabel("Order").selectOption("oldest change first");
    await vi.waitFor(async () => expect(await titles()).toEqual(["Bees", "Ants"]), PATIENCE);

    await button(page, "Resting 2").click();
    expect(new URL(page.url()).searchParams.get("health")).toBe("resting");
    expect(await button(page, "Resting 2").getAttribute("aria-pressed")).toBe("true");
    await page.getByLabel("Search in titles, ids, tags and tasks").fill("wasps");
    await button(page, "Show all loops").click();
    await vi.waitFor(async () => expect(await titles()).toEqual(["Bees", "Ants"]), PATIENCE);
    expect(await button(page, "All 2").getAttribute("aria-pressed")).toBe("true");
  });

  test("a loop is paused, resumed, stopped and reopened; what was cancelled is not done", async () => {
    const server = await new Served().start();
    await server.loop("a", "Sent to and fro");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("loops/a"));
    const status = async () => (await server.ask("GET", "/api/loops/v2/a")).status;
    await button(page, "Start").click(PATIENCE);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await status()).toBe("created");
    await button(page, "Start").click();
    await confirm(page, "Start", "The project's tests are run as they are");
    await answer(page, /^Continue development/);
    await page.getByRole("log").getByText("Which operator is meant?").waitFor(PATIENCE);
    await button(page, "Pause").click();
    await confirm(page, "Pause", "Nothing that was recorded is lost.");
    await button(page, "Resume").waitFor(PATIENCE);
    expect(await button(page, "Start").count()).toBe(0);
    expect(await status()).toBe("paused");
    await button(page, "Resume").click();
    await confirm(page, "Resume", "What was done stays done.");
    await button(page, "Stop").click(PATIENCE);
    await confirm(page, "Stop", "Its files stay, and it can be reopened.");
    await button(page, "Reopen").waitFor(PATIENCE);
    expect(await status()).toBe("failed");
    await page.getByText("stopped", { exact: true }).waitFor(PATIENCE);
    await button(page, "Reopen").click();
    await confirm(page, "Reopen", "The loop goes on although it had ended.");
    await vi.waitFor(async () => expect(await status()).toBe("running"), PATIENCE);
  });

  test("a loop that stopped at its bound says so, and goes on with a higher one", async () => {
    const adds = {
      write: { path: "src/sum.js", content: "export const sum = (a, b) => a + b;\n" },
    };
    const develops = {
      ...{ action: "DEVELOP", repeat: true, when: "# ACTION: DEVELOP", steps: [adds] },
      answer: { message: "It adds.", state_updates: { summary: "It adds." } },
    };
    const server = await new Served({ turns: [PLANS, develops] }).start();
    const settings = { agent: server.agent, mode: "auto" };
    const loop = { id: "a", title: "Bounded", max_iterations: 1, settings };
    await server.ask("POST", "/api/loops/v2", loop);
    await server.ask("POST", "/api/loops/v2/a/start");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("loops/a"));
    await page.getByText("max_iterations: 1 of 1 iterations are used.").waitFor(PATIENCE);
    await page.getByText("✖ COMPLETE 1 of 1").waitFor(PATIENCE);
    await button(page, "Reopen").click();
    await confirm(page, "Reopen", "Its bounds are raised: iterations to 11.");
    await page.getByText(/ of 11 iterations$/).waitFor(PATIENCE);
    expect(await server.ask("GET", "/api/loops/v2/a")).toMatchObject({ max_iterations: 11 });
  });

  test("a link lets another browser do everything, once; notifications are turned off; doctor looks again", async () => {
    const server = await new Served().start();
    await server.loop("a", "For both");
    const context = await visitor(server.url, { permissions: ["notifications"] });
    const page = await context.newPage();
    await page.goto(await server.loginLink("settings"));
    await button(page, "Make a link").click(PATIENCE);
    const link = await page.getByLabel("Link", { exact: true }).inputValue(PATIENCE);
    await button(page, "Turn them on").click();
    await button(page, "Turn them off").click();
    await page.getByText("This browser can tell you").waitFor(PATIENCE);
    await page.getByRole("link", { name: /^What a loop needs/ }).click();
    await page.getByRole("listitem").filter({ hasText: "git" }).first().waitFor(PATIENCE);
    await button(page, "Look again").click();
    await page.getByText("The server looks at what a loop needs").waitFor(PATIENCE);
    await page.getByRole("listitem").filter({ hasText: "git" }).first().waitFor(PATIENCE);

    const other = await (await visitor(server.url)).newPage();
    await other.goto(link);
    await other.getByRole("link", { name: /For both/ }).click(PATIENCE);
    await button(other, "Start").click(PATIENCE);
    await confirm(other, "Start", "The project's tests are run as they are");
    await answer(other, /^Exit and save/);
    await button(other, "Resume").waitFor(PATIENCE);
  });

  test("output that was scrolled away is come back to; a notice is closed", async () => {
    const server = await new Served().start();
    await server.loop("a", "Told much");
    const page = await (
      await visitor(server.url, { viewport: { width: 700, height: 500 } })
    ).newPage();
    await page.goto(await server.loginLink("loops/a"));
    await button(page, "Start").click(PATIENCE);
    await confirm(page, "Start", "The project's tests are run as they are");
    await answer(page, /^Continue development/);
    const log = page.getByRole("log");
    await log.getByText("Which operator is meant?").waitFor(PATIENCE);
    const top = "document.querySelector('[role=log]').scrollTop";
    await page.evaluate(`${top} = 0`);
    await button(page, "To the end").click(PATIENCE);
    await button(page, "To the end").waitFor({ state: "hidden" });
    expect(await page.evaluate(top)).toBeGreaterThan(0);
    await button(page, "Steer").click();
    await page.getByLabel("What to mind").fill("plus");
    await confirm(page, "Tell it", "The agent reads it");
    await page.getByText("The agent was told.").waitFor(PATIENCE);
    await button(page, "Close").click();
    await page.getByText("The agent was told.").waitFor({ state: "hidden" });
  });
});
