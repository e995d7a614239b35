import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { z } from "zod";
import { OPERATIONS } from "../src/contract/operations.ts";
import { Components, openApiDocument } from "../src/openapi/document.ts";
import { bench } from "./support.ts";

const stored = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));

test("openapi.json is what the code makes; run scripts/openapi.ts --write when not", () => {
  expect(stored).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

test("it is an OpenAPI 3.1 document", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(stored));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test("every route is documented, and nothing else", () => {
  const { app } = bench();
  const served = app.routes
    .filter(({ method, path }) => method !== "ALL" && path !== "/")
    .map(({ method, path }) => `${method} ${path}`);
  const ofApp = OPERATIONS.filter((operation) => !operation.served);
  const documented = ofApp.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  // The guard gives them before any route is looked for.
  const given = ["POST /api/tickets", "POST /api/logins"];
  const session = ["GET", "POST", "DELETE"].map((method) => `${method} /api/session`);
  expect(new Set([...served, ...given, ...session])).toEqual(new Set(documented));
});

test("what an app does not promise is not documented of it", () => {
  const { paths } = openApiDocument();
  const of = (path: string) => JSON.stringify(paths[path]?.post);
  expect(of("/api/tickets")).not.toContain("Idempotency-Key");
  expect(of("/api/loops/v2")).toContain("Idempotency-Key");
  expect(of("/api/loops/v2")).not.toContain("Prefer");
  expect(Object.keys(paths["/ws"]?.get?.responses as object)).toContain("101");
});

test("names of operations are unique", () => {
  const ids = OPERATIONS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("two schemas of one name are refused", () => {
  const components = new Components();
  components.schemas.Twin = { type: "number" };
  const twin = z.string().meta({ id: "Twin" });
  expect(() => components.refer(twin, "output")).toThrow(/called Twin/);
});

test("the page to read lists every operation, loads nothing and runs nothing", async () => {
  const { ask } = bench();
  const links = { "/": "api/openapi.json", "/api/docs": "openapi.json" };
  for (const [path, link] of Object.entries(links)) {
    const { status, headers, text } = await ask("GET", path, { headers: { Authorization: "" } });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; frame-ancestors 'none'/,
    );
    expect(text).toContain(`href="${link}"`);
    expect(text).not.toMatch(/<script|https?:\/\/|javascript:|\son\w+=/i);
    for (const { summary, id } of OPERATIONS) {
      expect(text).toContain(`id="${id}"`);
      expect(text).toContain(summary.replaceAll("'", "&#39;"));
    }
  }
});
