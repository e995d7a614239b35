import type { RpcRequest } from "@ccw-loop/processes/json-rpc";
import { expect, it, test } from "vitest";
import { judge } from "../../src/approval/approver.ts";
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
