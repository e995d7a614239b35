/**
 * What the control plane is compared with: Hono alone, which reads a file, or writes one as durably, in a process of its own:
 * `node bare.ts FOLDER`. FOLDER has `one.json`. Says its address when it listens.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const [folder = ""] = process.argv.slice(2);
const one = join(folder, "one.json");
const content = readFileSync(one);
const app = new Hono();
let written = 0;

app.get("/one", async (c) =>
  c.body(await readFile(one), 200, { "Content-Type": "application/json" }),
);
app.post("/create", async (c) => {
  await c.req.json();
  writeDurably(join(folder, `${written++}.json`));
  return c.json({ success: true });
});
app.post("/change", (c) => {
  writeDurably(one);
  return c.json({ success: true });
});

function writeDurably(path: string): void {
  const draft = join(folder, ".draft");
  writeFileSync(draft, content);
  sync(draft);
  renameSync(draft, path);
  sync(folder);
}

function sync(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}

const server = serve(
  { fetch: app.fetch, port: 0, hostname: "127.0.0.1" },
  ({ port }: AddressInfo) => {
    process.send?.({ url: `http://127.0.0.1:${port}` });
  },
);
process.on("disconnect", () => server.close());
