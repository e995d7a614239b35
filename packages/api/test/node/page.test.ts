import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { raw, served, statuses, wire } from "./served.ts";

const DOCUMENT = `<!doctype html><script type="module" src="./assets/index-B1.js"></script>\n`;
const SCRIPT = `console.log("${"x".repeat(2000)}");\n`;

/** A folder as a build of the dashboard leaves it, beside a file that is nobody's. */
function built(): URL {
  const folder = mkdtempSync(join(tmpdir(), "ccw-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "page", "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.js"), "secret");
  writeFileSync(join(folder, "page", "index.html"), DOCUMENT);
  writeFileSync(join(folder, "page", "assets", "index-B1.js"), SCRIPT);
  return pathToFileURL(`${join(folder, "page")}/`);
}

test("every page of the dashboard is one document without a token, and knows where it lies", async () => {
  const { url } = await served({ page: built() });
  for (const path of ["", "new", "loops/a", "loops/a/tests", "settings"]) {
    const answer = await fetch(`${url}/${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(await answer.text()).toBe(DOCUMENT.replace("./assets", "/assets"));
    const below = await (await fetch(`${url}/projects/shop/${path}`)).text();
    expect(below).toBe(DOCUMENT.replace("./assets", "/projects/shop/assets"));
  }
  expect((await fetch(`${url}/api/loops/v2`)).status).toBe(401);
  expect((await fetch(`${url}/loops`)).status).toBe(401);
});

test("the document runs nothing inline, and is in no frame", async () => {
  const { url } = await served({ page: built() });
  const policy = (await fetch(url)).headers.get("content-security-policy") ?? "";
  for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
    expect(policy).toContain(part);
  expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
});

test("an asset is kept for good, and sent compressed to who takes that", async () => {
  const { url, port } = await served({ page: built() });
  const answer = await fetch(`${url}/assets/index-B1.js`);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(await answer.text()).toBe(SCRIPT);
  const plain = await raw(port, wire("GET /assets/index-B1.js", { connection: "close" }));
  expect(plain).toContain(SCRIPT);
});

test("nothing beside the folder is answered, and nothing is there that is not", async () => {
  const { port } = await served({ page: built() });
  const paths = ["/assets/../../secret.js", "/assets/..%2f..%2fsecret.js", "/secret.js"];
  for (const path of [...paths, "/assets/none.js", "/assets/index-B1.js.map"]) {
    const answer = await raw(port, wire(`GET ${path}`, { connection: "close" }));
    expect([path, statuses(answer)]).toEqual([path, [404]]);
    expect(answer).not.toContain("secret\r\n");
  }
});

test("a browser is shown by the dashboard that a page does not exist, a program is told", async () => {
  const { port } = await served({ page: built() });
  const get = (path: string, accept: string) =>
    raw(port, wire(`GET ${path}`, { connection: "close", accept }));
  const shown = await get("/nonsense", "text/html,application/xhtml+xml");
  expect(statuses(shown)).toEqual([404]);
  expect(shown).toContain('src="/assets/index-B1.js"');
  for (const [path, accept] of [
    ["/nonsense", "*/*"],
    ["/api/nonsense", "text/html"],
  ] as const)
    expect(await get(path, accept)).toContain("There is nothing under this path.");
});

test("where the dashboard was not built, the page about the API is shown", async () => {
  const { url } = await served({ page: new URL("nowhere/", built()) });
  expect(await (await fetch(url)).text()).toContain("<h1>CCW Loop API</h1>");
});
