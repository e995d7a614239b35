/** @module-tag slow */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@ccw-loop/api/node";
import type { LoopService } from "@ccw-loop/core";
import { expect, onTestFinished, test } from "vitest";
import { type Fuzzed, fuzz } from "../../../quality/fuzz/src/fuzz.ts";
import { TOKEN } from "./node/served.ts";
import { bench } from "./support.ts";

const REQUESTS = 200;

/** A short run against a real server over this service, always the same requests. */
async function fuzzed(
  of: (whole: LoopService) => LoopService,
  patienceMs = 10_000,
): Promise<Fuzzed> {
  const { service } = bench();
  const projects = [{ name: "shop", service: of(service) }];
  const server = await serve({ projects, listen: { port: 0 }, token: TOKEN });
  onTestFinished(() => server.close());
  return fuzz({ url: server.url, token: TOKEN, patienceMs, requests: REQUESTS, seed: 5 });
}

const kinds = ({ findings }: Fuzzed) => new Set(findings.map(({ kind }) => kind));

test("requests made from the document, good and bad, are answered as it says", async () => {
  const { sent, findings, reached } = await fuzzed((service) => service);
  expect(findings).toEqual([]);
  expect(sent).toBe(REQUESTS);
  // It reaches what it asks for, and is refused what nobody should get.
  const statuses = new Set([...reached.keys()].map((name) => name.split(" ").at(-1)));
  for (const status of ["200", "400", "401", "404"]) expect(statuses).toContain(status);
});

test("an answer that the document does not know is noticed", async () => {
  const noList = { loops: [], total: 0, damaged: [], undriven: [], next: 1 };
  const found = await fuzzed((service) => ({
    ...service,
    list: async () => ({ ...noList, total: "many" as unknown as number }),
  }));
  expect(kinds(found)).toContain("undocumented");
  expect(found.findings[0]?.curl).toMatch(/^curl .*'http:\/\/127\.0\.0\.1:\d+\/api\/loops\/v2/);
});

test("a failure that nobody expected, and an answer that never comes, are noticed", async () => {
  const found = await fuzzed(
    (service) => ({
      ...service,
      list: () => Promise.reject(new Error("unexpected")),
      clean: () => new Promise(() => undefined),
    }),
    500,
  );
  expect(kinds(found)).toEqual(new Set(["5xx", "hang"]));
});

test("a server that drops connections is noticed", async () => {
  const { app } = bench();
  const document = await (await app.request("http://localhost/api/openapi.json")).text();
  const server = createServer(({ url, socket }, answer) => {
    if (url === "/api/openapi.json") answer.end(document);
    else socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const found = await fuzz({ url, token: TOKEN, patienceMs: 5_000, requests: 20, seed: 1 });
  expect(kinds(found)).toContain("crash");
});
