/**
 * The pictures of the dashboard in the README, from real loops of the demo's project: made, driven and proven on a real
 * server, by the scripted agent.
 *   node apps/web/scripts/pictures.ts [FOLDER]
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { hostClient, loopClient } from "@ccw-loop/api/client";
import type { Page } from "playwright-core";
import { requireChromium } from "../test/support/chromium.ts";
import { type Serving, startServe } from "../test/support/serve.ts";

const root = join(import.meta.dirname, "../../..");
const cli = join(root, "packages/cli");
const to = process.argv[2] ?? join(root, "docs/images");
const agent = `scripted:${join(cli, "demo/agent.yaml")}`;
const DESKTOP = { width: 1200, height: 760 };
const PHONE = { width: 390, height: 760 };

const folder = mkdtempSync(join(tmpdir(), "ccw-pictures-"));
const project = join(folder, "cart");
cpSync(join(cli, "demo/cart"), project, { recursive: true });
const who = ["-c", "user.name=demo", "-c", "user.email=demo@localhost"];
for (const args of [
  ["init", "-q"],
  ["add", "-A"],
  [...who, "commit", "-q", "-m", "A cart"],
]) {
  execFileSync("git", args, { cwd: project });
}
const server = await startServe(project, join(folder, "home"));
const browser = await requireChromium();
try {
  await take(server);
} finally {
  await browser.close();
  await server.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function take({ url, token }: Serving): Promise<void> {
  const loops = loopClient({ url, token });
  const make = (id: string, title: string, more: object = {}) =>
    loops.create({ id, title, description: "", settings: { agent, mode: "auto" }, ...more });
  const until = async (
    id: string,
    isThere: (state: Awaited<ReturnType<typeof loops.get>>) => boolean,
  ) => {
    while (!isThere(await loops.get(id))) await delay(200);
  };
  await make("cart", "Fix the shopping cart", {
    description: "Make the shopping cart charge the right price: all tests of the project pass.",
    tags: ["shop"],
  });
  await loops.send("cart", { type: "start" });
  await until("cart", ({ status }) => status !== "running");
  await make("coupons", "Look at the coupons together", {
    settings: { agent, mode: "interactive" },
    worktree: true,
    tags: ["shop"],
  });
  await loops.send("coupons", { type: "start" });
  await until("coupons", ({ waiting }) => waiting !== undefined);
  await make("money", "Charge cents and no floating point numbers", { tags: ["shop", "later"] });
  await make("limit", "Round the total only once", { max_iterations: 1, worktree: true });
  await loops.send("limit", { type: "start" });
  await until("limit", ({ status }) => status !== "running");
  await make("live", "Try the cart again, from the start", { worktree: true });

  const page = await browser.newPage({ viewport: DESKTOP, deviceScaleFactor: 1.5 });
  const { login } = await hostClient({ url, token }).login();
  await page.goto(`${url}/#login=${login}`);
  await page.locator(".loops a").first().waitFor();
  await loops.send("live", { type: "start" });
  await page.getByText("running").first().waitFor();
  await shoot(page, "dashboard-loops");
  await page.goto(`${url}/loops/cart`);
  await page.getByRole("table", { name: "The four runs" }).waitFor();
  await shoot(page, "dashboard-loop");
  await page.goto(`${url}/loops/cart/history`);
  await page.getByRole("table").first().waitFor();
  await shoot(page, "dashboard-history");
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${url}/loops/coupons`);
  await page.getByRole("region", { name: "What next?" }).waitFor();
  await shoot(page, "dashboard-phone");
}

async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  await page.screenshot({ path: join(to, `${name}.png`) });
  console.log(join(to, `${name}.png`));
}
