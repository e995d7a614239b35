/** @module-tag slow */
import { afterAll, describe, expect, test, vi } from "vitest";
import { closeBrowser, findings, hasBrowser, visitor } from "../support/browser.ts";
import { PATIENCE, Served } from "../support/server.ts";

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)("in a real browser", { timeout: 180_000 }, () => {
  test("the API is tried from the page: what it may answer, and what it does", async () => {
    const server = await new Served().start();
    await server.loop("a", "To be looked at");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("try"));
    await page.getByLabel("Operation").selectOption("getLoop", PATIENCE);
    expect(page.url()).toBe(`${server.url}/try?operation=getLoop`);
    await page.getByText("loop_not_found").waitFor(PATIENCE);
    await page.getByLabel("id", { exact: true }).fill("a");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("region", { name: "Answer: 200" });
    await answer.getByText('"title": "To be looked at"').waitFor(PATIENCE);
    expect(await answer.getByText(/^etag: "/).count()).toBe(1);
    expect(await findings(page)).toEqual([]);

    await page.getByLabel("Operation").selectOption("createLoop");
    const body = { title: "Made here", id: "made-here", settings: { agent: server.agent } };
    await page.getByLabel("Body, as JSON").fill(JSON.stringify(body));
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("location: /api/loops/v2/made-here").waitFor(PATIENCE);
    expect(await server.ask("GET", "/api/loops/v2/made-here")).toMatchObject({
      title: "Made here",
    });

    const reader = await (await visitor(server.url)).newPage();
    await reader.goto(await server.loginLink("try?operation=deleteLoop", "?read_only=true"));
    await reader.getByText("This login may change nothing.").waitFor(PATIENCE);
    expect(await reader.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await reader.goto(`${server.url}/new`);
    await reader.getByText("Your token reads loops and makes none.").waitFor(PATIENCE);
  });

  test("the server says what a loop needs, and who drives which", async () => {
    const server = await new Served().start();
    await server.loop("a", "Driven by somebody");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("settings"));
    await page.getByRole("link", { name: /^What a loop needs/ }).click();
    const git = page.getByRole("listitem").filter({ hasText: "git" }).first();
    await git.getByText("ok", { exact: true }).waitFor(PATIENCE);
    expect(await findings(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("link", { name: "Who drives which loops" }).click();
    await page.getByText("Nobody drives a loop now.").waitFor(PATIENCE);
    await server.ask("POST", "/api/loops/v2/a/start");
    const asks = async () => (await server.ask("GET", "/api/loops/v2/a")).waiting;
    await vi.waitFor(async () => expect(await asks()).toBeDefined(), PATIENCE);
    // Its turn goes on until somebody steers it.
    const develop = { type: "choose", action: "DEVELOP" };
    await server.ask("POST", "/api/loops/v2/a/commands", develop);
    await page.getByRole("link", { name: "Driven by somebody" }).waitFor(PATIENCE);
    expect(await findings(page)).toEqual([]);
  });
});
