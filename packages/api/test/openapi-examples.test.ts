import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import type { Operation } from "../src/contract/operation.ts";
import { OPERATIONS } from "../src/contract/operations.ts";
import { openApiDocument } from "../src/openapi/document.ts";
import { benchOfExamples, driveNightShift } from "./example-loops.ts";
import { type Bench, TOKEN } from "./support.ts";

const { paths, components } = openApiDocument();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
for (const [name, schema] of Object.entries(components.schemas)) {
  ajv.addSchema({ ...alone(schema), $id: `component:${name}` });
}

/** A schema that finds the document's named ones by their own addresses: each is compiled once. */
function alone(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "component:"));
}

/** The others are tested with `serve`. */
const OF_APPS = OPERATIONS.filter((operation) => !operation.served);

test.each(OF_APPS.map((operation) => [operation.id, operation] as const))(
  "the example of %s is answered as documented",
  async (id, operation) => {
    const { id: loop } = operation.example.params ?? {};
    // Those that look at all loops are shown a few; a task's loop is named elsewhere.
    const bench = await benchOfExamples(loop === undefined ? ["fresh-start"] : [loop]);
    const stop = id === "steerLoop" ? await driveNightShift(bench) : undefined;
    const response = await send(bench, operation);
    expect(response.status, await peek(response)).toBe(operation.creates ? 201 : 200);
    if (operation.creates) expect(response.headers.get("location")).toMatch(/^\/api\/loops\/v2\/./);
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const schema = documented(operation, type);
    if (type === "text/event-stream") await response.body?.cancel();
    else await check(response, type, schema);
    if (operation.tagged) expect(response.headers.get("etag")).toMatch(/^".+"$/);
    await stop?.();
  },
);

/** Of what the guard answers neither query nor body is checked. */
const READ = OF_APPS.filter(({ id, topic }) => id !== "createTicket" && topic !== "Sessions");

test.each(READ.map((operation) => [operation.id, operation] as const))(
  "%s refuses a name that it does not have, and says which ones it has",
  async (_, operation) => {
    const { example, method, query, body } = operation;
    const bench = await benchOfExamples([]);
    const strange = { no_such_name: "1" };
    const inQuery = { ...example, query: { ...example.query, ...strange } };
    const inBody = { ...example, body: { ...Object(example.body), ...strange } };
    for (const [other, schema] of [
      [inQuery, query],
      [inBody, body],
    ] as const) {
      if (other === inBody && method === "get") continue;
      const response = await send(bench, { ...operation, example: other });
      const { error = "", code } = (await response.json()) as { error?: string; code?: string };
      expect([response.status, code], error).toEqual([400, "invalid_input"]);
      expect(error).toMatch(/ cannot have "no_such_name": (use \w+|it takes none)/);
      expect(error.includes("it takes none")).toBe(schema === undefined);
    }
  },
);

async function send({ app }: Bench, { method, path, example }: Operation): Promise<Response> {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => example.params?.[name] ?? "");
  const query = new URLSearchParams(example.query);
  return app.request(`http://localhost${filled}?${query}`, {
    method: method.toUpperCase(),
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    ...(example.body === undefined ? {} : { body: JSON.stringify(example.body) }),
  });
}

async function peek(response: Response): Promise<string> {
  return response.ok ? "" : response.clone().text();
}

type Content = Record<string, { schema: { "x-line"?: object } }>;

/** What the document says of that answer. */
function documented({ method, path }: Operation, type: string): { "x-line"?: object } {
  const described = paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method] as {
    responses: { 200?: { content: Content }; 201?: { content: Content } };
  };
  const { 200: done, 201: made } = described.responses;
  const { schema } = (done ?? made)?.content[type] ?? {};
  if (schema) return schema;
  throw new Error(`${type} is not documented for ${method} ${path}.`);
}

async function check(
  response: Response,
  type: string,
  schema: { "x-line"?: object },
): Promise<void> {
  const text = await response.text();
  expect(text).not.toBe("");
  if (type === "application/json") conform(JSON.parse(text), schema);
  else if (type === "application/x-ndjson") {
    const line = schema["x-line"] ?? {};
    for (const value of text.trimEnd().split("\n")) conform(JSON.parse(value), line);
  } else conform(text, schema);
}

const compiled = new Map<object, ValidateFunction>();

function conform(value: unknown, schema: object): void {
  const validate = compiled.get(schema) ?? ajv.compile(alone(schema));
  compiled.set(schema, validate);
  expect(validate(value) ? [] : validate.errors).toEqual([]);
}
