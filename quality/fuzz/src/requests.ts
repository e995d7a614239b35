import * as fc from "fast-check";
import { type Operation, operationAt, type Parameter, type Schema } from "./document.ts";
import { invalid, type Source, strangeText, valid, wildBody } from "./values.ts";

/** A request as it is on the wire; `token` is put in by who sends it. */
export interface FuzzRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  /** Whether the right token goes with it. */
  hasToken: boolean;
  body: Uint8Array | undefined;
}

/** Every operation about equally often, mostly as the document wants it; sometimes what it knows nothing of. */
export function requestsOf(
  operations: readonly Operation[],
  source: Source,
): fc.Arbitrary<FuzzRequest> {
  const described = operations.map((one) => {
    return { weight: makesMore(one, operations) ? 5 : 1, arbitrary: asDescribed(one, source) };
  });
  return fc.oneof(
    { weight: 30, arbitrary: fc.oneof(...described) },
    { weight: 1, arbitrary: stray(operations) },
  );
}

/** Makes what others speak of: they need something to speak of. */
function makesMore({ method, path }: Operation, operations: readonly Operation[]): boolean {
  return method === "POST" && operations.some((one) => one.path.startsWith(`${path}/{`));
}

function asDescribed(operation: Operation, source: Source): fc.Arbitrary<FuzzRequest> {
  const { method, path, parameters, body, example } = operation;
  return fc
    .record({
      inPath: fc.record(partsOf(parameters, "path", source)),
      query: queryOf(parameters, source),
      named: few(partsOf(parameters, "header", source), [], 1),
      body: body === undefined ? noBody : bodyOf(body, example, source),
      ...surroundings,
    })
    .map(({ inPath, query, named, body: bytes, type, hasToken, more }) => ({
      method,
      target: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(inPath[name])) + query,
      headers: sendable({ ...named, ...(bytes ? { "Content-Type": type } : {}), ...more }),
      hasToken,
      body: bytes,
    }));
}

const surroundings = {
  type: fc.oneof(
    { weight: 30, arbitrary: fc.constant("application/json") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("text/plain", "application/json; charset=utf-16", "a/b", "json"),
    },
  ),
  hasToken: fc.nat({ max: 60 }).map((n) => n > 0),
  more: fc.oneof(
    { weight: 40, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>(
        { Origin: "https://evil.example" },
        { Host: "evil.example" },
        { "X-Request-Id": "ä<b>" },
        { Accept: "text/html" },
        { "Content-Encoding": "gzip" },
        { "X-HTTP-Method-Override": "DELETE" },
        { Cookie: "a=b", Range: "bytes=0-1" },
        { Upgrade: "websocket", Connection: "Upgrade" },
        { Expect: "200-maybe" },
      ),
    },
  ),
};

const noBody = fc.constant(undefined);

function bodyOf(schema: Schema, example: unknown, source: Source): fc.Arbitrary<Uint8Array> {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value) ?? "");
  return fc.oneof(
    { weight: 6, arbitrary: valid(schema, source).map(json) },
    { weight: 1, arbitrary: fc.constant(json(example ?? {})) },
    { weight: 3, arbitrary: invalid(schema, source).map(json) },
    { weight: 1, arbitrary: wildBody },
  );
}

/** Escapes whatever cannot stand in a path; halves of characters become what stands for the unreadable. */
function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const hostilePart = fc.oneof(
  fc.constantFrom(
    ...["..%2f..%2fetc%2fpasswd", "%2e%2e", "..", ".", "%00", "%ff", "%c0%ae", "%", "%252e%252e"],
    ...["con", "a%2fb", "a;b=c", "a%0d%0aX:1", "__proto__", "tasks", "x".repeat(6000)],
  ),
  strangeText.map((text) => escaped(text.slice(0, 2_000))),
);

function partsOf(
  parameters: readonly Parameter[],
  place: Parameter["in"],
  source: Source,
): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(
    parameters
      .filter((one) => one.in === place)
      .map(({ name, schema }) => {
        const good = valid(schema, source, name).map(String);
        const part = place === "path" ? good.map(escaped) : good;
        const memory = fc.nat().map((n) => source.memory.pick(name, n));
        const living = fc
          .tuple(memory, part)
          .map(([one, other]) => (one === undefined ? other : String(one)));
        const bad = place === "path" ? hostilePart : strangeText;
        return [
          name,
          fc.oneof(
            { weight: 8, arbitrary: living },
            { weight: 2, arbitrary: part },
            { weight: 1, arbitrary: bad },
          ),
        ];
      }),
  );
}

/** What is needed, and some of the rest: all of it at once would hardly ever be right. */
function few(
  parts: Record<string, fc.Arbitrary<unknown>>,
  needed: readonly string[],
  most: number,
): fc.Arbitrary<Record<string, unknown>> {
  const others = Object.keys(parts).filter((name) => !needed.includes(name));
  const maxLength = Math.min(most, others.length);
  return fc.tuple(fc.record(parts), fc.subarray(others, { maxLength })).map(([all, chosen]) => {
    const named = new Set([...needed, ...chosen]);
    return Object.fromEntries(Object.entries(all).filter(([name]) => named.has(name)));
  });
}

function queryOf(parameters: readonly Parameter[], source: Source): fc.Arbitrary<string> {
  const described = parameters.filter((one) => one.in === "query");
  const needed = described.filter(({ required }) => required).map(({ name }) => name);
  const good: Record<string, fc.Arbitrary<unknown>> = {};
  const mixed: Record<string, fc.Arbitrary<unknown>> = {};
  for (const { name, schema } of described) {
    good[name] = valid(schema, source, name);
    mixed[name] = fc.oneof(good[name], invalid(schema, source), strangeText);
  }
  const values = fc.oneof(
    { weight: 3, arbitrary: few(good, needed, 3) },
    { weight: 1, arbitrary: few(mixed, needed, 10) },
  );
  const unknown = fc.oneof(
    { weight: 30, arbitrary: fc.constant("") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("token=abc", "a[]=1&a[]=2", "%", "&&==", "limit=1&limit=2"),
    },
  );
  return fc.tuple(values, unknown).map(([query, more]) => {
    const pairs = Object.entries(query).map(([name, one]) => `${name}=${escaped(String(one))}`);
    const all = [...pairs, ...(more === "" ? [] : [more])].join("&");
    return all === "" ? "" : `?${all}`;
  });
}

const PATHS = [
  ...["/api", "/api/", "//", "/api/loops", "/api/loops/v2/", "/api/loops/v2//", "/api//health"],
  ...["/api/loops/v2/../../../etc/passwd", "/api/loops/v2/%2e%2e/%2e%2e/health", "/.env", "/*"],
  ...["/api/loops/v2/a/b/c/d/e", "/api/health/", "/API/HEALTH", "/projects/x/api/health", "/ws"],
  ...["/api/loops/v2/\u00e4", `/api/${"a/".repeat(3000)}`, "/api/tickets/1", "/favicon.ico"],
];

/** What the document knows nothing of: other paths, and other methods on its own. */
function stray(operations: readonly Operation[]): fc.Arbitrary<FuzzRequest> {
  const paths = operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, "a"));
  const methods = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");
  return fc
    .record({ method: methods, target: fc.constantFrom(...PATHS, ...paths), ...surroundings })
    .filter(({ method, target }) => operationAt(operations, method, target) === undefined)
    .map(({ method, target, hasToken, more }) => {
      return { method, target, headers: sendable(more), hasToken, body: undefined };
    });
}

/** Only what a header can carry at all. */
function sendable(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(
        ([name, value]) =>
          [name, String(value).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "")] as const,
      )
      .map(([name, value]) => [name, value.slice(0, 4_000)]),
  );
}
