/**
 * The pictures of the dashboard in the README, from real loops of the demo's project: made, driven and proven on a real
 * server, by the scripted agent.
 *   node apps/web/scripts/pictures.ts [FOLDER]
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { hostClient, loopClient } from "@ccw-loop/api/client";
import { chromium, type Page } from "playwright-core";

const root = join(import.meta.dirname, "../../..");
const cli = join(root, "packages/cli");
const to = process.argv[2] ?? join(root, "docs/images");
const CHROMIUM = process.env.CCW_LOOP_CHROMIUM ?? "/usr/bin/chromium";
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
const server = spawn(process.execPath, [join(cli, "bin/ccw-loop.js"), "serve", "--port", "0"], {
  cwd: project,
  env: { ...process.env, HOME: join(folder, "home"), XDG_CONFIG_HOME: "", NO_COLOR: "1" },
  stdio: ["ignore", "ignore", "pipe"],
});
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
try {
  await take(await addressOf(server.stderr));
} finally {
  await browser.close();
  const gone = once(server, "exit");
  server.kill("SIGTERM");
  await gone;
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, url] = /^Listening at (\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("The server does not listen.");
}

async function take(url: string): Promise<void> {
  const token = readFileSync(join(folder, "home/.config/ccw-loop/token"), "utf8").trim();
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
