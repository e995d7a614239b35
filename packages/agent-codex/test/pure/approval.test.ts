import { describe, expect, it, test } from "vitest";
import { type ApprovalRequest, decideApproval } from "../../src/approval/policy.ts";
import { answerTo, readQuestion } from "../../src/approval/questions.ts";
import { namesOnlyInside, plainCommand, shellWords } from "../../src/approval/shell-script.ts";
import type { CodexSandbox } from "../../src/options.ts";

const cwd = "/project";

function command(command: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const asked = { type: "command", command, cwd, reason: null, extraRights: false, stdin: false };
  return { ...asked, ...more } as ApprovalRequest;
}

function files(...paths: string[]): ApprovalRequest {
  return { type: "files", paths, grantRoot: null };
}

describe("the stated policy", () => {
  test.each<[string, ApprovalRequest, CodexSandbox, "accept" | "decline"]>([
    ["a dangerous command", command("rm -rf dir"), "workspace-write", "accept"],
    [
      "the same in a subfolder",
      command("rm -rf d", { cwd: "/project/a" }),
      "workspace-write",
      "accept",
    ],
    [
      "one that starts elsewhere",
      command("rm -rf d", { cwd: "/tmp" }),
      "workspace-write",
      "decline",
    ],
    [
      "a folder with a like name",
      command("rm d", { cwd: "/project-2" }),
      "workspace-write",
      "decline",
    ],
    ["leaving the sandbox", command("ls", { reason: "please" }), "workspace-write", "decline"],
    ["leaving it without a word", command("ls", { reason: "" }), "workspace-write", "decline"],
    ["the network", command("curl x", { extraRights: true }), "workspace-write", "decline"],
    ["input for a command", command("y", { stdin: true }), "workspace-write", "decline"],
    ["a command not told", command(""), "workspace-write", "decline"],
    ["no sandbox, inside", command("rm -rf dir"), "danger-full-access", "accept"],
    ["no sandbox, outside", command("rm -rf /etc"), "danger-full-access", "decline"],
    ["no sandbox, above", command("rm -rf ../x"), "danger-full-access", "decline"],
    ["an edit inside", files("/project/a.ts", "/project/b/c.ts"), "workspace-write", "accept"],
    ["an edit outside", files("/project/a.ts", "/etc/passwd"), "workspace-write", "decline"],
    ["a git hook", files("/project/.git/hooks/pre-commit"), "workspace-write", "decline"],
    ["Codex settings", files("/project/.codex/config.toml"), "workspace-write", "decline"],
    ["a file named like git's", files("/project/.gitignore"), "workspace-write", "accept"],
    ["a protected file", files("/project/.workflow/.loop/x.json"), "workspace-write", "decline"],
    ["one beside it", files("/project/.workflow-2/x.json"), "workspace-write", "accept"],
    ["a protected folder", command("rm -rf a .workflow"), "workspace-write", "decline"],
    ["the same unsandboxed", command("rm -f ./.workflow/x"), "danger-full-access", "decline"],
    [
      "the same from a subfolder",
      command("rm a; cp x ../.workflow/x", { cwd: "/project/a" }),
      "workspace-write",
      "decline",
    ],
    ["files not told", files(), "workspace-write", "decline"],
    [
      "a further folder",
      { type: "files", paths: ["/project/a"], grantRoot: "/x" },
      "workspace-write",
      "decline",
    ],
    ["permissions", { type: "permissions" }, "danger-full-access", "decline"],
    ["an MCP server's question", { type: "elicitation" }, "workspace-write", "decline"],
    ["a question", { type: "question" }, "workspace-write", "decline"],
  ])("%s", (_, request, sandbox, decision) => {
    expect(decideApproval(request, { cwd, sandbox, protect: [".workflow"] }).decision).toBe(
      decision,
    );
  });
});

test.each([
  ["rm -rf build dist", true],
  ["rm -rf ./build && mkdir build", true],
  ["/bin/rm -rf build", true],
  ["rm -rf build/*", true],
  ["rm -rf 'a b'; touch x", true],
  ["cat a > b.txt 2>/dev/null", true],
  ["rm -rf /project/build", true],
  ["rm -rf ../build", true],
  ["rm -rf ../../build", false],
  ["rm -rf /", false],
  ["rm -rf /usr/bin/node", false],
  ["rm -rf $HOME", false],
  ["rm -rf ~", false],
  ["rm -rf `pwd`/..", false],
  ["cd / && rm -rf home", false],
  ["touch a\nrm -rf /etc", false],
  ["sudo rm -rf build", false],
  ["cp a --target-directory=/etc", false],
  ["echo x > /etc/passwd", false],
  ["rm 'never closed", false],
])("from /project/sub, %j stays inside: %s", (script, inside) => {
  expect(namesOnlyInside("/project", "/project/sub", script)).toBe(inside);
});

test.each<[string, string[] | null]>([
  ["a b  c", ["a", "b", "c"]],
  [`'a b' "c d" e\\ f`, ["a b", "c d", "e f"]],
  [`"a \\"b\\" \\n" ''`, ['a "b" \\n', ""]],
  [`'it'"'"'s'`, ["it's"]],
  ["'open", null],
  ["", []],
])("the words of %j are %j", (text, words) => {
  expect(shellWords(text)).toEqual(words);
});

test.each([
  ["/bin/bash -lc 'node test.mjs'", "node test.mjs"],
  [`/bin/zsh -c "echo \\"hi\\""`, 'echo "hi"'],
  ["bash -lc 'a; b'", "a; b"],
  ["node test.mjs", "node test.mjs"],
  ["bash script.sh", "bash script.sh"],
  ["/bin/bash -lc 'open", "/bin/bash -lc 'open"],
])("the command in %j is %j", (command, plain) => {
  expect(plainCommand(command)).toBe(plain);
});

describe("Codex's questions", () => {
  const read = (method: string, params: unknown) =>
    readQuestion({ method, params }, { cwd, pathsOf: (id) => (id === "e1" ? ["/project/a"] : []) });

  it("reads a command without the shell around it", () => {
    const params = { itemId: "c1", command: "/bin/bash -lc 'rm -rf d'", cwd: "/project/sub" };
    expect(read("item/commandExecution/requestApproval", params)).toEqual({
      ...{ type: "command", command: "rm -rf d", cwd: "/project/sub" },
      ...{ reason: null, extraRights: false, stdin: false },
    });
  });

  test.each([
    [{ networkApprovalContext: { host: "x" } }, { extraRights: true }],
    [{ additionalPermissions: { network: {} } }, { extraRights: true }],
    [{ kind: "writeStdin" }, { stdin: true }],
    [{ reason: "" }, { reason: "" }],
  ])("notices %j", (more, noticed) => {
    const params = { itemId: "c1", command: "ls", cwd, ...more };
    expect(read("item/commandExecution/requestApproval", params)).toMatchObject(noticed);
  });

  it("knows an edit's files from the edit itself", () => {
    const asked = read("item/fileChange/requestApproval", { itemId: "e1" });
    expect(asked).toEqual({ type: "files", paths: ["/project/a"], grantRoot: null });
  });

  it("takes a question that it cannot read for the worst", () => {
    const unreadable = { type: "permissions" };
    expect(read("item/commandExecution/requestApproval", { command: 3 })).toEqual(unreadable);
    expect(read("item/fileChange/requestApproval", null)).toEqual(unreadable);
    expect(read("item/tool/call", {})).toBeNull();
  });

  test.each([
    ["item/commandExecution/requestApproval", { decision: "decline" }],
    ["item/permissions/requestApproval", { permissions: {}, scope: "turn" }],
    ["mcpServer/elicitation/request", { action: "decline", content: null, _meta: null }],
    ["item/tool/requestUserInput", { answers: {} }],
  ])("says no to %s in its own words", (method, result) => {
    expect(answerTo(method, { decision: "decline", because: "" })).toEqual({ result });
  });
});
