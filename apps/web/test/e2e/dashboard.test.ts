/** @module-tag slow */
import { readFileSync, rmSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { answer, button, confirm } from "../support/actions.ts";
import { closeBrowser, findings, hasBrowser, visitor } from "../support/browser.ts";
import { PATIENCE, Served } from "../support/server.ts";

afterAll(closeBrowser);

/** Every page, with what is on it once it is all there. */
const PAGES = {
  "loops/a": "One test is red.",
  "": "title so long",
  new: "Tests that were found",
  "loops/a/history": "Every action",
  "loops/a/tests": "adds two numbers",
  "compare?a=a&b=b": "What they came to",
  settings: "Another browser",
  doctor: "git version",
  workers: "Nobody drives a loop now.",
  "try?operation=createLoop": "What it may answer",
};

describe.skipIf(!hasBrowser)("in a real browser", { timeout: 180_000 }, () => {
  test("a loop from its form to its receipt, which verify reads", async () => {
    const server = await new Served().start();
    const context = await visitor(server.url);
    const page = await context.newPage();
    await page.goto(await server.loginLink());
    await page.getByRole("link", { name: "New loop" }).click();
    await page.getByText("npm test").waitFor(PATIENCE);
    await button(page, "Make and start it").click();
    await page.getByText("Say what the loop is to do.").waitFor();
    await page.getByLabel("Task", { exact: true }).fill("Make the sum right");
    await page.getByLabel("Agent").fill(server.agent);
    await page.getByLabel("Mode", { exact: true }).selectOption("interactive");
    await button(page, "Make and start it").click();

    await page.getByRole("heading", { level: 1, name: "Make the sum right" }).waitFor(PATIENCE);
    await page.getByRole("log").getByText("One test is red.").waitFor(PATIENCE);
    await answer(page, /^Continue development/);
    await page.getByRole("log").getByText("Which operator is meant?").waitFor(PATIENCE);
    await button(page, "Steer").click();
    await page.getByLabel("What to mind").fill("plus, of course");
    await confirm(page, "Tell it", "The agent reads it in the middle of its turn.");
    await page.getByRole("log").getByText("Plus it is.").waitFor(PATIENCE);
    await answer(page, /^Run validation/);
    await answer(page, /^Complete loop/);
    await page.getByText("proven: The project's own tests passed.").waitFor(PATIENCE);
    const square = page.getByRole("table", { name: "The four runs" });
    expect(await square.getByRole("cell", { name: "baseline" }).textContent()).toContain("1 red");
    expect(await square.getByRole("cell", { name: "verdict" }).textContent()).toContain("2 green");
    expect(await findings(page)).toEqual([]);

    const downloading = page.waitForEvent("download");
    await button(page, "Download the receipt").click();
    const file = `${server.dir}.home/receipt.json`;
    await (await downloading).saveAs(file);
    expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty("seal");
    expect(server.run("verify", file)).toContain("stands");
  });

  test("what was done: as bars and a table, test by test, file by file; verified, forked and rewound", async () => {
    const server = await new Served().start();
    await server.loop("a", "Make the sum right");
    await server.prove("a");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink("loops/a"));
    await button(page, "Verify").click(PATIENCE);
    await confirm(page, "Verify", "The seal is checked");
    await page.getByText("The receipt of loop a stands.").waitFor(PATIENCE);

    await page.getByRole("link", { name: "Tests", exact: true }).click();
    const red = page.getByRole("row", { name: /adds two numbers/ });
    await red.getByText("red").waitFor({ state: "attached", ...PATIENCE });
    expect(await red.getByRole("cell").allTextContents()).toEqual(["✖red", "✔green"]);
    expect(await findings(page)).toEqual([]);

    await page.getByRole("link", { name: "History", exact: true }).click();
    const developed = page.getByRole("row", { name: /DEVELOP task-001/ });
    await developed.getByRole("link", { name: /^Diff/ }).click(PATIENCE);
    await page.getByText("+export const sum = (a, b) => a + b;").waitFor(PATIENCE);
    expect(page.url()).toMatch(/\/loops\/a\/changes\?from=\d+&to=\d+$/);
    expect(await findings(page)).toEqual([]);
    await page.goBack();
    expect(await findings(page)).toEqual([]);

    await developed.getByRole("button", { name: /^Rewind/ }).click();
    await confirm(page, "Rewind", "What was used stays used.");
    await page
      .getByRole("status")
      .getByText(/^Rewound to checkpoint \d+; the loop is paused/)
      .waitFor(PATIENCE);
    await developed.getByRole("button", { name: /^Fork/ }).click();
    await confirm(page, "Fork", "This loop and its files stay as they are.");
    await page.getByRole("heading", { level: 1, name: /fork at \d+/ }).waitFor(PATIENCE);
    await page.getByText("paused", { exact: true }).waitFor(PATIENCE);
  });

  test("two tabs follow a loop; a server that is killed is said to be gone, and nothing is lost", async () => {
    const server = await new Served().start();
    await server.loop("a", "Watched twice");
    const context = await visitor(server.url);
    const one = await context.newPage();
    await one.goto(await server.loginLink("loops/a"));
    const two = await context.newPage();
    await two.goto(`${server.url}/`);
    await two
      .getByRole("link", { name: /Watched twice/ })
      .getByText("created")
      .waitFor(PATIENCE);

    await button(one, "Start").click();
    await confirm(one, "Start", "The project's tests are run as they are");
    await answer(one, /^Continue development/);
    await two
      .getByRole("link", { name: /Watched twice/ })
      .getByText("running")
      .waitFor(PATIENCE);
    await one.getByRole("log").getByText("Which operator is meant?").waitFor(PATIENCE);

    await server.kill();
    for (const page of [one, two])
      await page.getByText("The server does not answer.").waitFor(PATIENCE);
    await server.start();
    await one.getByText("The server does not answer.").waitFor({ state: "hidden", ...PATIENCE });
    await button(one, "Steer").click(PATIENCE);
    await one.getByLabel("What to mind").fill("plus");
    await confirm(one, "Tell it", "The agent reads it");
    await one.getByRole("log").getByText("Plus it is.").waitFor(PATIENCE);
    await one.getByRole("region", { name: "What next?" }).waitFor(PATIENCE);
    await two
      .getByRole("link", { name: /Watched twice/ })
      .getByText("waits for input")
      .waitFor(PATIENCE);

    await button(one, "Stop").click();
    await confirm(one, "Stop", "Its files stay, and it can be reopened.");
    await two
      .getByRole("link", { name: /Watched twice/ })
      .getByText("stopped")
      .waitFor(PATIENCE);
  });

  test("a login link is spent by its use; a session ends with log-out and with the token", async () => {
    const server = await new Served().start();
    const context = await visitor(server.url);
    const page = await context.newPage();
    const link = await server.loginLink("?sort=name");
    await page.goto(link);
    await page.getByText("There is no loop yet.").waitFor(PATIENCE);
    expect(page.url()).toBe(`${server.url}/?sort=name`);
    await button(page, "Log out").click();
    await page.getByLabel("Token").waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText("This login link was used before").waitFor(PATIENCE);
    await page.goto("about:blank");
    await page.goto(link.slice(0, -4));
    await page.getByText("This login link is not whole").waitFor(PATIENCE);
    expect(page.url()).not.toContain("login");
    expect(await findings(page)).toEqual([]);
    await page.getByLabel("Token").fill("not the token");
    await button(page, "Log in").click();
    await page.getByText("This is not the server's token.").waitFor();
    await page.getByLabel("Token").fill(server.token);
    await button(page, "Log in").click();
    await page.getByText("There is no loop yet.").waitFor(PATIENCE);

    await server.kill();
    rmSync(server.tokenFile);
    await server.start();
    await page.getByLabel("Token").waitFor(PATIENCE);
  });

  test("who may only look has no button that changes anything", async () => {
    const server = await new Served().start();
    await server.loop("a", "To be looked at");
    const operator = await (await visitor(server.url)).newPage();
    await operator.goto(await server.loginLink("settings"));
    await button(operator, "Make a link to look only").click(PATIENCE);
    const link = await operator.getByLabel("Link to look only").inputValue(PATIENCE);
    expect(await findings(operator)).toEqual([]);

    const page = await (await visitor(server.url)).newPage();
    await page.goto(link);
    await page.getByRole("link", { name: /To be looked at/ }).click(PATIENCE);
    await page.getByRole("heading", { name: "To be looked at" }).waitFor(PATIENCE);
    await page.getByText("You may look").waitFor();
    expect(await button(page, "Start").count()).toBe(0);
    expect(await page.getByRole("link", { name: "New loop" }).count()).toBe(0);
  });

  describe.each([
    { size: "a phone", viewport: { width: 360, height: 740 } },
    { size: "a desktop", viewport: { width: 1280, height: 900 } },
  ])("on $size", ({ viewport }) => {
    test.each(["light", "dark"] as const)(
      "%s: everything fits, and axe finds nothing",
      async (colorScheme) => {
        const server = await new Served().start();
        const title = "A title so long that it does not fit on one line of a phone, nor two";
        for (const id of ["a", "b"]) await server.loop(id, title);
        await server.ask("POST", "/api/loops/v2/a/start");
        const context = await visitor(server.url, {
          viewport,
          colorScheme,
          reducedMotion: "reduce",
        });
        const page = await context.newPage();
        await page.goto(await server.loginLink("loops/a"));
        await page.getByRole("region", { name: "What next?" }).waitFor(PATIENCE);
        for (const [path, shows] of Object.entries(PAGES)) {
          await page.goto(`${server.url}/${path}`);
          await page.getByRole("heading", { level: 1 }).waitFor(PATIENCE);
          await page.getByRole("main").getByText(shows).first().waitFor(PATIENCE);
          const over =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";
          expect([path, await page.evaluate(over)]).toEqual([path, 0]);
          expect(await findings(page)).toEqual([]);
        }
      },
    );
  });

  test("by the keyboard alone: search, open a loop, ask and let it be, come back", async () => {
    const server = await new Served().start();
    await server.loop("one", "First of them");
    await server.loop("two", "Second of them");
    const page = await (await visitor(server.url)).newPage();
    await page.goto(await server.loginLink());
    await page.getByRole("link", { name: /First of them/ }).waitFor(PATIENCE);
    await page.keyboard.press("/");
    await page.keyboard.type("second");
    await page.getByRole("link", { name: /First of them/ }).waitFor({ state: "hidden" });
    expect(page.url()).toBe(`${server.url}/?q=second`);
    await page.getByRole("link", { name: /Second of them/ }).focus();
    await page.keyboard.press("Enter");
    await button(page, "Start").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.goBack();
    expect(page.url()).toBe(`${server.url}/?q=second`);
    await page.getByRole("link", { name: /Second of them/ }).waitFor(PATIENCE);
    expect(await server.ask("GET", "/api/loops/v2/two")).toMatchObject({ status: "created" });
  });
});
