import type { RpcRequest } from "@ccw-loop/processes/json-rpc";
import { expect, it, test } from "vitest";
import { judge } from "../../src/approval/approver.ts";
import { namesOnlyInside, plainCommand, shellWords } from "../../src/approval/shell-script.ts";
import type { CodexSandbox } from "../../src/options.ts";

const cwd = "/project";
const COMMAND = "item/commandExecution/requestApproval";
const FILES = "item/fileChange/requestApproval";

function command(command: string, more: object = {}): RpcRequest {
  return { method: COMMAND, params: { itemId: "c1", command, cwd, ...more } };
}

/** The edit's id says its files. */
function files(...paths: string[]): RpcRequest {
  return { method: FILES, params: { itemId: paths.join(" ") } };
}

function verdict(request: RpcRequest, sandbox: CodexSandbox = "workspace-write") {
  const pathsOf = (itemId: string) => itemId.split(" ").filter((path) => path !== "");
  return judge(request, { cwd, sandbox, protect: [".workflow"], pathsOf });
}

test.each<[string, RpcRequest, CodexSandbox, "accept" | "decline"]>([
  ["a dangerous command", command("rm -rf dir"), "workspace-write", "accept"],
  [
    "the same in a subfolder",
    command("rm -rf d", { cwd: "/project/a" }),
    "workspace-write",
    "accept",
  ],
  ["one that starts elsewhere", command("rm -rf d", { cwd: "/tmp" }), "workspace-write", "decline"],
  [
    "a folder with a like name",
    command("rm d", { cwd: "/project-2" }),
    "workspace-write",
    "decline",
  ],
  ["leaving the sandbox", command("ls", { reason: "please" }), "workspace-write", "decline"],
  ["leaving it without a word", command("ls", { reason: "" }), "workspace-write", "decline"],
  [
    "the network",
    command("curl x", { networkApprovalContext: { host: "x" } }),
    "workspace-write",
    "decline",
  ],
  [
    "further rights",
    command("ls", { additionalPermissions: { network: {} } }),
    "workspace-write",
    "decline",
  ],
  ["input for a command", command("y", { kind: "writeStdin" }), "workspace-write", "decline"],
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
    { method: FILES, params: { itemId: "/project/a", grantRoot: "/x" } },
    "workspace-write",
    "decline",
  ],
])("the stated policy: %s", (_, request, sandbox, decision) => {
  expect(verdict(request, sandbox)?.decision).toBe(decision);
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

test.each([
  [command("/bin/bash -lc 'rm -rf d'"), "command: rm -rf d"],
  [files("/project/a", "b"), "files: /project/a, /project/b"],
  [files(), "files: (not told)"],
])("says in a line what %j asks", (request, asked) => {
  expect(verdict(request)?.asked).toBe(asked);
});

test.each([
  ["item/permissions/requestApproval", "permissions", { permissions: {}, scope: "turn" }],
  [
    "mcpServer/elicitation/request",
    "elicitation",
    { action: "decline", content: null, _meta: null },
  ],
  ["item/tool/requestUserInput", "question", { answers: {} }],
])("says no to %s in its own words", (method, asked, no) => {
  const said = verdict({ method, params: {} }, "danger-full-access");
  expect(said).toMatchObject({ asked, decision: "decline", no });
});

it("takes a question that it cannot read for the worst", () => {
  const worst = { asked: "permissions", decision: "decline" };
  expect(verdict({ method: COMMAND, params: { command: 3 } })).toMatchObject(worst);
  expect(verdict({ method: FILES, params: null })).toMatchObject(worst);
  expect(verdict({ method: "item/tool/call", params: {} })).toBeNull();
});
