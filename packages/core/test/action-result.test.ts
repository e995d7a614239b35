import { describe, expect, test } from "vitest";
import { type ActionResult, parseActionResult } from "../src/index.ts";

function read(text: string): ActionResult {
  const parsed = parseActionResult(text);
  if (!parsed.ok) throw new Error(`not read: ${parsed.problem}`);
  return parsed.result;
}

function refusal(text: string): string {
  const parsed = parseActionResult(text);
  if (parsed.ok) throw new Error(`read: ${JSON.stringify(parsed.result)}`);
  return parsed.problem;
}

const BLOCK = `ACTION_RESULT:
- action: DEVELOP
- status: success
- message: Task completed: add login
- state_updates: {
    "develop.completed": 2,
    "develop.last_progress_at": "2026-01-22T10:00:00Z"
  }

FILES_UPDATED:
- src/auth.ts: login and logout
- .workflow/.loop/a.progress/develop.md: timeline

NEXT_ACTION_NEEDED: VALIDATE
`;

const TEMPLATE = `ACTION_RESULT:
- action: {ACTION_NAME}
- status: success | failed | needs_input
- message: {user-facing message}
- state_updates: { ... }

FILES_UPDATED:
- {file_path}: {description}

NEXT_ACTION_NEEDED: {ACTION_NAME} | WAITING_INPUT | COMPLETED | PAUSED
`;

const EXPECTED: ActionResult = {
  action: "DEVELOP",
  status: "success",
  message: "Task completed: add login",
  state_updates: { develop: { completed: 2, last_progress_at: "2026-01-22T10:00:00Z" } },
  files_updated: ["src/auth.ts", ".workflow/.loop/a.progress/develop.md"],
};

describe("the documented text block", () => {
  const forms: [string, string][] = [
    ["as documented", BLOCK],
    ["with CRLF", BLOCK.replaceAll("\n", "\r\n")],
    ["in a fence", `Done.\n\`\`\`\n${BLOCK}\`\`\`\n`],
    [
      "with updates on one line",
      BLOCK.replace(/\{\n\s+/, "{")
        .replace(/,\n\s+/, ", ")
        .replace(/\n\s+\}/, "}"),
    ],
    ["with updates below their name", BLOCK.replace("state_updates: {", "state_updates:\n  {")],
    [
      "with updates in a fence",
      BLOCK.replace("state_updates: {", "state_updates:\n```json\n{").replace(
        "  }\n",
        "  }\n```\n",
      ),
    ],
    [
      "in bold",
      BLOCK.replaceAll(/^(- )?([A-Za-z_]+):/gm, (_, dash = "", name) => `${dash}**${name}:**`),
    ],
    [
      "in bold with the colon outside",
      BLOCK.replaceAll(/^(- )?([A-Za-z_]+):/gm, (_, dash = "", name) => `${dash}**${name}**:`),
    ],
    ["with headings", BLOCK.replaceAll(/^([A-Z_]+):/gm, "## $1:")],
    ["with numbers", BLOCK.replaceAll(/^- (action|status|message)/gm, "1. $1")],
    ["with stars", BLOCK.replaceAll(/^- /gm, "* ")],
    ["without markers", BLOCK.replaceAll(/^- (action|status|message|state)/gm, "$1")],
    ["with code marks", BLOCK.replace("- src/auth.ts:", "- `src/auth.ts`:")],
    ["after an echoed template", `${TEMPLATE}\n${BLOCK}`],
    ["before an echoed template", `${BLOCK}\n${TEMPLATE}`],
    ["with prose around", `I did it.\n\n${BLOCK}\nAnything else?\n- no: thanks\n`],
    ["with the order changed", reordered()],
    ["in lower case", BLOCK.replace("DEVELOP", "develop").replace("VALIDATE", "validate")],
    ["in the oldest names", BLOCK.replace("DEVELOP", "action-develop-with-file")],
    ["with the next action below", BLOCK.replace("NEEDED: VALIDATE", "NEEDED:\n\nVALIDATE")],
    ["with a repeated next action", `${BLOCK}\nNEXT_ACTION_NEEDED: {ACTION_NAME}\n`],
  ];

  test.each(forms)("%s", (_, text) => {
    expect(read(text)).toEqual(EXPECTED);
  });

  test.each(forms)("%s, all on one line", (_, text) => {
    expect(read(text.replaceAll(/\s+/g, " "))).toEqual(EXPECTED);
  });

  test("what a message says of the protocol stays in the message", () => {
    const message =
      "Read FILES_UPDATED: - a.ts: x and NEXT_ACTION_NEEDED: DEBUG - state_updates: {} in ACTION_RESULT: blocks";
    expect(read(BLOCK.replace("Task completed: add login", message))).toEqual({
      ...EXPECTED,
      message,
    });
    const short = `ACTION_RESULT:\n- action: DEBUG\n- status: success\n- message: The state_updates: field, 3 files updated: all, status: fine\n`;
    expect(read(short)).toMatchObject({
      message: "The state_updates: field, 3 files updated: all, status: fine",
      files_updated: [],
    });
  });

  test("a block inside of a JSON result or of a quoted text is none", () => {
    const quoted = "see ACTION_RESULT: - action: DEBUG - status: failed - message: no";
    const json = JSON.stringify({ action: "DEVELOP", status: "success", message: quoted });
    expect(read(json)).toMatchObject({ action: "DEVELOP", message: quoted });
    expect(refusal(`It printed "${quoted}" and stopped.`)).toBe("The answer has no ACTION_RESULT.");
  });

  function reordered(): string {
    const [head = "", rest = ""] = BLOCK.split("\nFILES_UPDATED");
    const [files = "", next = ""] = rest.split("\nNEXT_ACTION");
    return `${head}\nNEXT_ACTION${next}\nFILES_UPDATED${files}`;
  }

  test("the last of several complete blocks wins", () => {
    const second = BLOCK.replace("add login", "add logout");
    expect(read(BLOCK + second).message).toBe("Task completed: add logout");
  });

  test("a second next action after the block changes nothing", () => {
    expect(read(`${BLOCK}\nNo, rather:\nNEXT_ACTION_NEEDED: DEBUG\n`)).toEqual(EXPECTED);
  });

  test("a cut-off second block does not hide the first", () => {
    expect(read(`${BLOCK}\nACTION_RESULT:\n- action: DEB`)).toEqual(EXPECTED);
  });

  test("a message of many lines is kept whole, the menu too", () => {
    const menu = `ACTION_RESULT:
- action: MENU
- status: needs_input
- message: Choose.
  - develop: 1/2 (50%)
  - debug: not started

MENU_OPTIONS:
1. [develop] Continue
2. [exit] Save and leave
WAITING_INPUT: Please select an option

NEXT_ACTION_NEEDED: WAITING_INPUT`;
    const { message, status } = read(menu);
    expect(message).toContain("- develop: 1/2 (50%)");
    expect(message).toContain("MENU_OPTIONS:\n");
    expect(message).toMatch(/Please select an option$/);
    expect(status).toBe("needs_input");
  });

  test("the indentation that the list gave a message is taken off again", () => {
    const text = BLOCK.replace("add login", "a\n    b\n      c\n\n    d");
    expect(read(text).message).toBe("Task completed: a\nb\n  c\n\nd");
  });

  test("what is left out has its default", () => {
    expect(read("ACTION_RESULT:\n- action: COMPLETE\n- status: failed")).toEqual({
      action: "COMPLETE",
      status: "failed",
      message: "",
      state_updates: {},
      files_updated: [],
    });
  });

  test.each([
    ["- none", []],
    ["(no files)", []],
    ["- `a b.ts`", ["a b.ts"]],
    ["- C:\\x\\a.ts: made", ["C:\\x\\a.ts"]],
    ["* **a.ts**: made: new", ["a.ts"]],
    ['- "a: b.ts": "x\\ny"', ["a: b.ts"]],
  ])("files: %s", (line, files) => {
    const text = BLOCK.replace(/(FILES_UPDATED:\n)[\s\S]*?\n\n/, `$1${line}\n\n`);
    expect(read(text).files_updated).toEqual(files);
  });
});

describe("the JSON object", () => {
  const json = JSON.stringify({ ...EXPECTED, state_updates: { "develop.completed": 2 } });
  const expected = { ...EXPECTED, state_updates: { develop: { completed: 2 } } };

  test.each<[string, string]>([
    ["bare", json],
    ["pretty", JSON.stringify(JSON.parse(json), null, 2)],
    ["in a fence", `\`\`\`json\n${json}\n\`\`\``],
    ["last in prose", `I'd say "done" {or so}. {"a": [1, {"b": ${json}`],
    ["below the heading", `ACTION_RESULT:\n${json}\n`],
    ["wrapped", JSON.stringify({ ACTION_RESULT: JSON.parse(json) })],
    ["after an echoed template", `${TEMPLATE}\n${json}`],
    ["after a complete text block", `${BLOCK}\n${json}`],
    ["after an older object", `${json.replace("add login", "old")}\n${json}`],
    [
      "with updates as text",
      json.replace('{"develop.completed":2}', '"{\\"develop.completed\\":2}"'),
    ],
    ["after one that is in progress", `${json.replace("success", "in_progress")}${json}`],
  ])("%s", (_, text) => {
    expect(read(text)).toEqual(expected);
  });

  test("a text block after it wins", () => {
    expect(read(`${json}\n${BLOCK}`).state_updates).toEqual(EXPECTED.state_updates);
  });

  test("an object inside the updates of a text block is not the result", () => {
    const inner = '{"action":"DEBUG","status":"failed","message":"inner"}';
    const text = BLOCK.replace(/state_updates: \{[\s\S]*?\}\n/, `state_updates: ${inner}\n`);
    expect(read(text)).toMatchObject({ action: "DEVELOP", state_updates: { message: "inner" } });
  });

  test("files as paths, as objects or as a map, missing fields", () => {
    const head = '"action":"debug","status":"needs-input"';
    expect(read(`{${head},"files_updated":["a.ts"]}`).files_updated).toEqual(["a.ts"]);
    const objects = '[{"path":"a.ts","description":"x"},{"path":" "},{}]';
    expect(read(`{${head},"files_updated":${objects}}`).files_updated).toEqual(["a.ts"]);
    expect(read(`{${head},"files_updated":{"a.ts":"x"}}`)).toEqual({
      action: "DEBUG",
      status: "needs_input",
      message: "",
      state_updates: {},
      files_updated: ["a.ts"],
    });
  });

  test.each([
    ['{"skillStateUpdates":{"a":1},"continue":true,"message":"m"}', "success"],
    ['{"stateUpdates":{"a":1},"continue":false,"message":"m"}', "success"],
    ['{"stateUpdates":{"a":1},"message":"m","error":"boom"}', "failed"],
  ])("the oldest form %s", (text, status) => {
    expect(read(`Return:\n${text}`)).toEqual({
      action: "UNKNOWN",
      status,
      message: "m",
      state_updates: { a: 1 },
      files_updated: [],
    });
  });
});

describe("updates", () => {
  const updates = (json: string) =>
    read(`{"action":"INIT","status":"success","state_updates":${json}}`).state_updates;

  test.each<[string, unknown]>([
    ['{"develop.b":1,"develop.c":2,"develop":{"d":3}}', { develop: { b: 1, c: 2, d: 3 } }],
    ['{"skill_state.debug.b":1,"debug.c":2}', { debug: { b: 1, c: 2 } }],
    ['{"develop":1,"develop.b":2}', { develop: 1, "develop.b": 2 }],
    ['{"develop":{"b":1},"develop.b":2}', { develop: { b: 1 }, "develop.b": 2 }],
    ['{"a.b":1,"develop.b.c":2}', { "a.b": 1, "develop.b.c": 2 }],
    ['{"a":{"src/x.ts":1}}', { a: { "src/x.ts": 1 } }],
    ['{"src/x.ts":1}', { "src/x.ts": 1 }],
    ['{"a.":1,".b":2}', { "a.": 1, ".b": 2 }],
  ])("%s", (json, tree) => {
    expect(updates(json)).toEqual(tree);
  });

  test("never reach a prototype", () => {
    updates(
      '{"__proto__":{"polluted":1},"__proto__.polluted":1,"develop.__proto__":{"polluted":1},"constructor.prototype.polluted":1}',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("what is no result", () => {
  test.each<[string, string, RegExp]>([
    ["nothing", "", /no ACTION_RESULT/],
    ["prose", "All done, ACTION_RESULT follows.", /no ACTION_RESULT/],
    ["the template", TEMPLATE, /no valid action and status/],
    ["a block without a status", BLOCK.replace("- status: success\n", ""), /no valid action/],
    ["an unknown action", BLOCK.replace("DEVELOP", "REFACTOR"), /no valid action/],
    ["a placeholder message", BLOCK.replace(/Task completed.*/, "{message}"), /no valid action/],
    ["broken updates", BLOCK.replace("2,", "2"), /state_updates are not one JSON object/],
    ["cut-off updates", BLOCK.slice(0, BLOCK.indexOf("2,")), /state_updates are not/],
    ["a list of updates", '{"action":"INIT","status":"success","state_updates":[1]}', /state_upd/],
    ["still working", '{"action":"INIT","status":"in_progress","message":""}', /in_progress/],
    [
      "too deep",
      `{"action":"INIT","status":"success","state_updates":${"[".repeat(1e5)}`,
      /no ACT/,
    ],
  ])("%s", (_, text, problem) => {
    expect(refusal(text)).toMatch(problem);
  });

  test("a later block with broken updates is not replaced by an earlier one", () => {
    expect(refusal(BLOCK + BLOCK.replace("2,", "2"))).toMatch(/state_updates/);
  });
});
