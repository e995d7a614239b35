import { expect, test } from "vitest";
import { judge, optionFor } from "../../src/approval/permission.ts";
import { allowsAll, modeProblem } from "../../src/launch/asking.ts";
import { PROFILES } from "../../src/launch/profiles.ts";
import { ToolCall } from "../../src/turn/tool-call.ts";

const rules = { cwd: "/project", protect: [".workflow"], confined: false };
const execute = (command: unknown, more: object = {}) => ({
  kind: "execute",
  title: "Terminal",
  rawInput: { command, ...more },
});
const edit = (...paths: string[]) => ({
  kind: "edit",
  content: paths.map((path) => ({ type: "diff", path, newText: "" })),
});

function decisionOn(frame: object, profile: keyof typeof PROFILES = "claude") {
  const call = new ToolCall("/project", PROFILES[profile]);
  return judge(call.asked(frame), rules).decision;
}

test.each<[string, object, "accept" | "decline"]>([
  ["a command in the project", execute("npm test && rm -rf build"), "accept"],
  ["the same as words", execute(["bash", "-lc", "npm test"]), "accept"],
  ["a command elsewhere", execute("rm -rf /etc"), "decline"],
  ["a command that starts elsewhere", execute("ls", { cwd: "/tmp" }), "decline"],
  ["a command in a folder below", execute("ls", { workdir: "src" }), "accept"],
  ["a command on a protected folder", execute("rm -rf .workflow"), "decline"],
  ["a command that is not told", { kind: "execute", title: "Terminal" }, "decline"],
  ["an edit in the project", edit("/project/a.ts", "b.ts"), "accept"],
  ["an edit elsewhere", edit("/project/a.ts", "/etc/passwd"), "decline"],
  ["an edit above", edit("../x"), "decline"],
  ["a git hook", edit(".git/hooks/pre-commit"), "decline"],
  ["settings of an agent", edit(".claude/settings.json"), "decline"],
  ["a protected file", edit(".workflow/.loop/x.json"), "decline"],
  ["an edit that names no file", { kind: "edit" }, "decline"],
  ["a deletion", { kind: "delete", locations: [{ path: "/project/old.ts" }] }, "accept"],
  [
    "a move out of the project",
    { kind: "move", locations: [{ path: "a" }, { path: "/b" }] },
    "decline",
  ],
  ["a file to read", { kind: "read", rawInput: { file_path: "src/a.ts" } }, "accept"],
  ["a file elsewhere to read", { kind: "read", locations: [{ path: "/etc/shadow" }] }, "decline"],
  ["something on the network", { kind: "fetch", rawInput: { url: "https://x" } }, "decline"],
  ["another mode", { kind: "switch_mode", title: "Leave the plan" }, "decline"],
  ["nothing that can be read", {}, "decline"],
  [
    "an editor whose word for what it does is command",
    { ...edit("src/a.ts"), rawInput: { command: "create", path: "/project/src/a.ts" } },
    "accept",
  ],
  [
    "the same elsewhere",
    { ...edit("/home/u/.bashrc"), rawInput: { command: "create", path: "/home/u/.bashrc" } },
    "decline",
  ],
  [
    "a tool of which nobody knows where it runs",
    { kind: "other", rawInput: { command: "rm -rf data", host: "prod" } },
    "decline",
  ],
  [
    "a command with a file elsewhere",
    { ...execute("npm test"), locations: [{ path: "/etc/passwd" }] },
    "decline",
  ],
  ["a command with an edit", { ...edit("/project/a.ts"), ...execute("rm -rf /etc") }, "decline"],
  [
    "a move by another spelling",
    { kind: "move", rawInput: { old_path: "a", destination: "~/b" } },
    "decline",
  ],
  [
    "edits of several files",
    { kind: "edit", rawInput: { edits: [{ filePath: "a" }, { filePath: "/etc/b" }] } },
    "decline",
  ],
  ["the removal of the project", { kind: "delete", locations: [{ path: "/project" }] }, "decline"],
])("the stated policy: %s", (_, frame, decision) => {
  expect(decisionOn(frame)).toBe(decision);
});

test("a command that only the title tells is one where the agent does so", () => {
  const asked = (text: string) => ({
    kind: "execute",
    title: "npm test",
    content: [{ type: "content", content: { type: "text", text } }],
  });
  expect(decisionOn(asked("[current working directory /project]"), "gemini")).toBe("accept");
  expect(decisionOn(asked("[current working directory /etc]"), "gemini")).toBe("decline");
  expect(decisionOn(asked(""), "claude")).toBe("decline");
});

test.each([
  [["allow_always", "allow_once", "reject_once"], "accept", "1"],
  [["allow_always", "allow_once", "reject_always", "reject_once"], "decline", "3"],
  [["allow_always"], "accept", null],
  [["allow_always", "reject_always"], "decline", null],
  [[], "accept", null],
] as const)("of %j, %s is option %s", (kinds, decision, optionId) => {
  const options = kinds.map((kind, i) => ({ kind, optionId: String(i), name: "allow_once" }));
  const outcome = optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  expect(optionFor(decision, { options })).toEqual(outcome);
});

test.each([
  ["default", true],
  ["build", true],
  ["https://agentclientprotocol.com/protocol/session-modes#agent", true],
  ["workspace-write", true],
  ["https://agentclientprotocol.com/protocol/session-modes#autopilot", false],
  ["yolo", false],
  ["auto", false],
  ["autoEdit", false],
  ["acceptEdits", false],
  ["bypassPermissions", false],
  ["agent-full-access", false],
])("a session may be in the mode %s: %s", (mode, may) => {
  expect(modeProblem(mode) === null).toBe(may);
});

test("no profile names a mode that asks nobody", () => {
  const modes = Object.values(PROFILES).map(({ mode }) => mode);
  expect(modes.flatMap((mode) => modeProblem(mode) ?? [])).toEqual([]);
});

test.each([
  ["allow_all", true],
  ["COPILOT_ALLOW_ALL", true],
  ["QWEN_YOLO", true],
  ["COPILOT_AUTO_UPDATE", false],
  ["OPENCODE_DISABLE_AUTOCOMPACT", false],
  ["OPENCODE_PERMISSION", false],
])("the name %s says that nobody is asked: %s", (name, says) => {
  expect(allowsAll(name)).toBe(says);
});
