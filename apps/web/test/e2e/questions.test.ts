/** @module-tag slow */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { answer, button, confirm } from "../support/actions.ts";
import { closeBrowser, findings, hasBrowser, visitor } from "../support/browser.ts";
import { PATIENCE, Served, TURNS } from "../support/server.ts";

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)("in a real browser", { timeout: 180_000 }, () => {
  test("a loop that waits for a usage limit is tried again at once", async () => {
    const limit = { code: "usage_limit" as const, message: "Used up.", resets_in: 3600 };
    const server = await new Served({
      turns: [{ once: true, steps: [{ fail: limit }] }, ...TURNS],
    }).start();
    await server.loop("a", "Used up for now");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("loops/a"));
    await button(page, "Start").click(PATIENCE);
    await confirm(page, "Start", "The project's tests are run as they are");
    await button(page, "Retry now").click(PATIENCE);
    expect(await findings(page)).toEqual([]);
    await confirm(page, "Retry now", "The agent is asked again at once");
    await answer(page, /^Exit and save/);
    await button(page, "Resume").waitFor(PATIENCE);
    await button(page, "Retry now").waitFor({ state: "hidden" });
  });

  test("a loop is made without a start; where nothing can be tested it asks, and ends as waived", async () => {
    const note = { path: "NOTES.md", content: "# Notes\n\nThey are written.\n" };
    const server = await new Served({
      files: { "NOTES.md": "# Notes\n" },
      turns: [
        {
          ...{ action: "INIT", repeat: true, when: "# ACTION: INIT" },
          answer: { message: "m", state_updates: { tasks: [{ description: "Write the notes" }] } },
        },
        {
          ...{ action: "DEVELOP", repeat: true, when: "# ACTION: DEVELOP" },
          steps: [{ write: note }],
          answer: { message: "m", state_updates: { summary: "They are written." } },
        },
      ],
    }).start();
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink());
    await page.getByRole("link", { name: "Make the first loop" }).click(PATIENCE);
    await page.getByText("No test command was found.").waitFor(PATIENCE);
    await page.getByLabel("Task", { exact: true }).fill("Write the notes");
    await page.getByLabel("Agent").fill(server.agent);
    await page.getByLabel("Start at once").selectOption("no");
    await page.getByText("Bounds, model and tags").click();
    await page.getByLabel("Time").fill("no time");
    await button(page, "Make it").click();
    await page.getByText(/^Use .*h/).waitFor();
    await page.getByLabel("Time").fill("1h");
    await page.getByLabel("Tags").fill("notes");
    await button(page, "Make it").click();
    await page.getByRole("heading", { level: 1, name: "Write the notes" }).waitFor(PATIENCE);
    await page.getByText("created", { exact: true }).waitFor(PATIENCE);
    await button(page, "Start").click();
    await confirm(page, "Start", "The project's tests are run as they are");

    const question = page.getByRole("region", { name: "How is it tested?" });
    await question.waitFor(PATIENCE);
    expect(await findings(page)).toEqual([]);
    await question.getByRole("button", { name: "Answer" }).click();
    await question.getByText("Choose or write an answer first.").waitFor();
    await question.getByRole("radio", { name: /^waive_tests/ }).check();
    await question.getByLabel("Why there is nothing to test").fill("Notes have no tests");
    await question.getByRole("button", { name: "Answer" }).click();
    await page.getByText("waived: Tests were waived: Notes have no tests").waitFor(PATIENCE);
  });

  test("a rewind that would take what somebody changed says so, and is done when it is meant", async () => {
    const server = await new Served().start();
    await server.loop("a", "Changed from outside");
    await server.prove("a");
    const changed = join(server.dir, "src", "sum.js");
    writeFileSync(changed, "export const sum = () => 'mine';\n");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("loops/a/history"));
    const planned = page.getByRole("row", { name: /INIT/ });
    await planned.getByRole("button", { name: /^Rewind/ }).click(PATIENCE);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Rewind", exact: true }).click();
    await dialog.getByText("the files as they are now are kept first").waitFor(PATIENCE);
    expect(readFileSync(changed, "utf8")).toContain("mine");
    await button(page, "Rewind all the same").click();
    await dialog.waitFor({ state: "hidden", ...PATIENCE });
    await page.getByText("paused", { exact: true }).waitFor(PATIENCE);
    expect(readFileSync(changed, "utf8")).toContain("a - b");
  });
});
