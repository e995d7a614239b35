import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page as Tab } from "playwright-core";
import type { Page } from "../served-project.ts";
import { type ClientSetup, equal, type Proofs } from "./proof.ts";

/** What a page got of each try: a status, names of events, or the name of the error. */
interface Tried {
  read: number | string;
  write: number | string;
  stream: string;
}

interface Given {
  url: string;
  token: string;
  id: string;
  settings: ClientSetup["settings"];
}

/** What pages of an allowed and of another origin can do in a real browser, with its own rules about origins. */
export async function* inBrowser(setup: ClientSetup): Proofs {
  const { tools, has, page, strangePage, url, token, settings } = setup;
  if (!has.browser) {
    yield "left out: there is no browser from the registry for this machine";
    return;
  }
  const browser = await launched(tools);
  try {
    const allowed = await tried(browser, page, { url, token, settings, id: "from-a-page" });
    equal("an allowed page", allowed, { read: 200, write: 201, stream: "loop.created" });
    yield "an allowed origin reads and writes by fetch, and listens by EventSource with a ticket";

    const made = await ids(setup);
    const stranger = { url, token, settings, id: "from-a-stranger" };
    const refused = await tried(browser, strangePage, stranger);
    const none = { read: "TypeError", write: "TypeError", stream: "TypeError" };
    equal("a page of another origin", refused, none);
    equal("the loops", await ids(setup), made);
    yield "another origin, even with the token, gets nothing and changes nothing";

    const given = { url, ticket: await ticketFor(setup) };
    const listened = await withPage(browser, strangePage, (tab) => tab.evaluate(listen, given));
    equal("its stream", listened, "error");
    yield "another origin cannot listen, even with a ticket";
  } finally {
    await browser.close();
  }
}

/** Runs in the page. */
async function tryAll({ url, token, id, settings }: Given): Promise<Tried> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const ask = (path: string, init: RequestInit = {}) => fetch(url + path, { headers, ...init });
  const outcome = async <T>(act: () => Promise<T>) =>
    act().catch((error: unknown) => (error instanceof Error ? error.name : "unknown"));
  const body = JSON.stringify({ id, title: "Made by a page", settings });
  const read = await outcome(async () => (await ask("/api/loops/v2")).status);
  const write = await outcome(
    async () => (await ask("/api/loops/v2", { method: "POST", body })).status,
  );
  const stream = await outcome(async () => {
    const answer = await ask("/api/tickets", { method: "POST" });
    const { data } = (await answer.json()) as { data: { ticket: string } };
    const source = `${url}/api/loops/v2/${id}/events?after=0&ticket=${data.ticket}`;
    return new Promise<string>((resolve) => {
      // biome-ignore lint/suspicious/noExplicitAny: of the browser, not of Node
      const events = new (globalThis as any).EventSource(source);
      const end = (what: string) => {
        events.close();
        resolve(what);
      };
      events.addEventListener("loop.created", () => end("loop.created"));
      events.addEventListener("error", () => end("error"));
    });
  });
  return { read, write, stream };
}

/** Runs in the page. */
async function listen({ url, ticket }: { url: string; ticket: string }): Promise<string> {
  return new Promise((resolve) => {
    // biome-ignore lint/suspicious/noExplicitAny: of the browser, not of Node
    const events = new (globalThis as any).EventSource(`${url}/api/events?ticket=${ticket}`);
    for (const what of ["open", "error"]) {
      events.addEventListener(what, () => {
        events.close();
        resolve(what);
      });
    }
  });
}

function tried(browser: Browser, page: Page, given: Given): Promise<Tried> {
  return withPage(browser, page, (tab) => tab.evaluate(tryAll, given));
}

async function withPage<R>(
  browser: Browser,
  { origin }: Page,
  act: (tab: Tab) => Promise<R>,
): Promise<R> {
  const tab = await browser.newPage();
  await tab.goto(origin);
  const result = await act(tab);
  await tab.close();
  return result;
}

async function ids({ url, token }: ClientSetup): Promise<string[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/loops/v2`, { headers });
  const { data } = (await answer.json()) as { data: { loop_id: string }[] };
  return data.map(({ loop_id }) => loop_id);
}

async function ticketFor({ url, token }: ClientSetup): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/tickets`, { method: "POST", headers });
  const { data } = (await answer.json()) as { data: { ticket: string } };
  return data.ticket;
}

/** The registry's Chromium unpacks itself, with the libraries that a bare machine lacks, into the temporary folder. */
async function launched(tools: string): Promise<Browser> {
  const unpacked = join(tools, "browser");
  mkdirSync(unpacked);
  process.env.TMPDIR = unpacked;
  process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs22.x";
  const { resolve } = createRequire(join(tools, "package.json"));
  const { default: packed } = await import(pathToFileURL(resolve("@sparticuz/chromium")).href);
  const args = ["--no-sandbox", "--no-zygote", "--disable-gpu"];
  return chromium.launch({ executablePath: await packed.executablePath(), args });
}
