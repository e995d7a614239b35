import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  ActionName,
  DevelopUpdates,
  debugUpdates,
  InitUpdates,
  outputSchemaFor,
  parseActionResult,
} from "../src/index.ts";

type Node = Record<string, unknown>;
const ALLOWED = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "anyOf",
  "description",
]);

/** What structured output demands of a schema, as complaints with their paths. */
function complaints(schema: Node, path = "$", depth = 1): string[] {
  const found = Object.keys(schema).flatMap((key) => (ALLOWED.has(key) ? [] : [`${path}: ${key}`]));
  if (depth > 10) found.push(`${path}: too deep`);
  if (schema.type === "object") {
    const properties = (schema.properties ?? {}) as Record<string, Node>;
    const names = Object.keys(properties);
    if (schema.additionalProperties !== false) found.push(`${path}: open`);
    if (JSON.stringify(schema.required) !== JSON.stringify(names)) found.push(`${path}: optional`);
    if (names.length === 0) found.push(`${path}: empty`);
    for (const name of names) {
      found.push(...complaints(properties[name] ?? {}, `${path}.${name}`, depth + 1));
    }
  } else if (schema.type === "array") {
    found.push(...complaints((schema.items ?? {}) as Node, `${path}[]`, depth));
  } else if (Array.isArray(schema.anyOf)) {
    for (const branch of schema.anyOf as Node[]) found.push(...complaints(branch, path, depth));
  } else if (schema.type === undefined) found.push(`${path}: no type`);
  return found;
}

const CLAIM = {
  status: "success",
  message: "Done.",
  files_updated: ["src/a.ts"],
};

const UPDATES = {
  INIT: {
    tasks: [{ description: "Write the parser; its tests pass.", command: null }],
    set_aside: [],
  },
  DEVELOP: { summary: "Wrote the parser." },
  DEBUG: {
    active_bug: "login fails",
    understanding: "The token is old.",
    hypotheses: [
      {
        id: null,
        description: "clock skew",
        testable_condition: "exp < now",
        logging_point: "auth.ts:check:3",
        evidence_criteria: { confirm: "exp in the past", reject: "exp in the future" },
        likelihood: 1,
        explains: ["auth > logs in"],
        probe: {
          command: "node -e 'logExp()'",
          if_holds: [{ kind: "number", pattern: "exp=(\\d+)", compare: "<", value: 5 }],
          if_not: [
            { kind: "number", pattern: "exp=(\\d+)", compare: ">=", value: 5 },
            { kind: "exit_code", compare: "=", value: 0 },
            { kind: "text", how: "lacks", text: "Error" },
            { kind: "pattern", pattern: "exp=", found: true },
          ],
        },
        claimed_evidence: "auth.ts:3 logged exp=1",
      },
    ],
    confirmed_hypothesis: null,
    fix_tasks: [{ description: "Use the server's clock.", command: "npm run clock", fixes: "H1" }],
  },
};

describe.each(ActionName.options)("the schema of %s", (action) => {
  const schema = outputSchemaFor(action);
  const updates = action in UPDATES ? UPDATES[action as keyof typeof UPDATES] : undefined;
  const answer = { action, ...CLAIM, ...(updates ? { state_updates: updates } : {}) };
  const accepts = (value: unknown) =>
    z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).success;

  test("is of the strict subset", () => {
    expect(complaints(schema)).toEqual([]);
    expect(schema.type).toBe("object");
  });

  test("takes an answer, which is read as the result", () => {
    expect(accepts(answer)).toBe(true);
    expect(parseActionResult(JSON.stringify(answer))).toEqual({
      ok: true,
      result: { action, ...CLAIM, state_updates: updates ?? {} },
    });
  });

  test("takes a failure without updates", () => {
    const failed = { ...answer, status: "failed", ...(updates ? { state_updates: null } : {}) };
    expect(accepts(failed)).toBe(true);
    expect(parseActionResult(JSON.stringify(failed))).toMatchObject({
      ok: true,
      result: { status: "failed", state_updates: {} },
    });
  });

  test("refuses anything more, anything less and any other action", () => {
    const { message: _, ...less } = answer;
    expect(accepts({ ...answer, more: 1 })).toBe(false);
    expect(accepts(less)).toBe(false);
    expect(accepts({ ...answer, action: action === "INIT" ? "DEBUG" : "INIT" })).toBe(false);
    expect(accepts({ ...answer, status: "done" })).toBe(false);
  });

  test("lets an agent say that it still works, which is no result", () => {
    const working = { ...answer, status: "in_progress" };
    expect(accepts(working)).toBe(true);
    expect(parseActionResult(JSON.stringify(working)).ok).toBe(false);
  });
});

test("the complaints of this test are not blind", () => {
  expect(complaints({ type: "object", properties: { a: { type: "string" } } })).toEqual([
    "$: open",
    "$: optional",
  ]);
  expect(complaints({ oneOf: [] })).toEqual(["$: oneOf", "$: no type"]);
});

test("a probe may be the project's own tests, or not needed any more", () => {
  const [idea] = UPDATES.DEBUG.hypotheses;
  const schema = z.fromJSONSchema(outputSchemaFor("DEBUG") as z.core.JSONSchema.JSONSchema);
  for (const probe of [null, { command: null, if_holds: [], if_not: [] }]) {
    const updates = { ...UPDATES.DEBUG, hypotheses: [{ ...idea, probe }] };
    const answer = { action: "DEBUG", ...CLAIM, state_updates: updates };
    expect(schema.safeParse(answer).success).toBe(true);
    expect(debugUpdates().parse(updates).to_probe).toEqual(probe === null ? [] : ["H1"]);
  }
});

test("the updates that fit the schema are those the orchestrator reads", () => {
  const planned = UPDATES.INIT.tasks.map(({ description }) => ({ description }));
  expect(InitUpdates.parse(UPDATES.INIT).tasks).toEqual(planned);
  expect(DevelopUpdates.parse(UPDATES.DEVELOP)).toEqual(UPDATES.DEVELOP);
  expect(debugUpdates().parse(UPDATES.DEBUG)).toMatchObject({
    to_probe: ["H1"],
    hypotheses: [
      {
        id: "H1",
        status: "pending",
        evidence: null,
        probe: UPDATES.DEBUG.hypotheses[0]?.probe,
        claimed_evidence: "auth.ts:3 logged exp=1",
      },
    ],
    fix_tasks: [{ description: "Use the server's clock.", fixes: "H1" }],
  });
});
