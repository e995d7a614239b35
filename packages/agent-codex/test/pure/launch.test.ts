import { expect, it, test } from "vitest";
import {
  appServerArguments,
  profileSettings,
  threadParameters,
  tomlString,
} from "../../src/launch/arguments.ts";
import { isTooOld, nativePackage, versionIn } from "../../src/launch/codex-binary.ts";
import { environmentNamesIn } from "../../src/launch/environment.ts";

test.each([
  ["codex-cli 0.169.0\n", "0.169.0"],
  ["codex-cli 0.170.0-alpha.3", "0.170.0-alpha.3"],
  ["git version 2.39", null],
  ["", null],
])("the version in %j is %j", (text, version) => {
  expect(versionIn(text)).toBe(version);
});

test.each([
  ["0.162.9", true],
  ["0.130.0", true],
  ["0.163.0", false],
  ["0.163.0-alpha.1", false],
  ["0.169.0", false],
  ["0.1000.0", false],
  ["1.0.0", false],
])("Codex %s is too old: %s", (version, tooOld) => {
  expect(isTooOld(version)).toBe(tooOld);
});

test.each([
  ["linux", "x64", "@openai/codex-linux-x64", "vendor/x86_64-unknown-linux-musl/bin/codex"],
  ["darwin", "arm64", "@openai/codex-darwin-arm64", "vendor/aarch64-apple-darwin/bin/codex"],
])("on %s-%s the program is in %s", (platform, arch, name, program) => {
  expect(nativePackage(platform, arch)).toEqual({ name, program });
});

it.each(["aix", "win32"])("knows no program for another platform: %s", (platform) => {
  expect(nativePackage(platform, "x64")).toBeNull();
});

it("builds the arguments of the app-server", () => {
  const args = appServerArguments(
    ["/a", '/with "quotes"\\'],
    { name: "CCW_LOOP_FAMILY", value: "1.2.3.4::x" },
    ["model_verbosity=1"],
  );
  expect(args).toEqual([
    "app-server",
    "-c",
    'projects={"/a"={trust_level="untrusted"},"/with \\"quotes\\"\\\\"={trust_level="untrusted"}}',
    "-c",
    "features.unbounded_connection_retries=false",
    "-c",
    'shell_environment_policy.set.CCW_LOOP_FAMILY="1.2.3.4::x"',
    "-c",
    "model_verbosity=1",
  ]);
});

test.each([
  ["plain", '"plain"'],
  ["a\u007fb\n", '"a\\u007fb\\n"'],
  ["Grüße", '"Grüße"'],
])("%j in TOML is %s", (text, toml) => {
  expect(tomlString(text)).toBe(toml);
});

test.each(["workspace-write", "danger-full-access"] as const)(
  "a thread with the sandbox %s asks Codex for it",
  (sandbox) => {
    const asks = { cwd: "/p", sandbox, profile: null, model: "m" };
    const parameters = threadParameters(asks);
    expect(parameters).toMatchObject({ cwd: "/p", sandbox, model: "m" });
    expect(parameters.approvalPolicy.granular.sandbox_approval).toBe(false);
    expect(threadParameters({ ...asks, model: undefined })).not.toHaveProperty("model");
  },
);

it("names a permission profile instead of a sandbox", () => {
  const asks = {
    cwd: "/p",
    profile: "ccw-loop",
    sandbox: "workspace-write" as const,
    model: undefined,
  };
  const thread = threadParameters(asks);
  expect(thread).toMatchObject({ permissions: "ccw-loop" });
  expect(thread).not.toHaveProperty("sandbox");
});

const USER = {
  network_access: false,
  writable_roots: [],
  exclude_tmpdir_env_var: false,
  exclude_slash_tmp: false,
};

test.each([
  [
    "Codex's defaults",
    USER,
    'permissions.ccw-loop={extends=":workspace",workspace_roots={},filesystem={":workspace_roots"={".workflow"="read"},"/main/.workflow"="read","/home/me/.config/ccw-loop"="none"},network={enabled=false}}',
  ],
  [
    "everything set",
    {
      network_access: true,
      writable_roots: ["/cache", '/q"x'],
      exclude_tmpdir_env_var: true,
      exclude_slash_tmp: true,
    },
    'permissions.ccw-loop={extends=":workspace",workspace_roots={"/cache"=true,"/q\\"x"=true},filesystem={":workspace_roots"={".workflow"="read"},"/main/.workflow"="read","/home/me/.config/ccw-loop"="none",":slash_tmp"="read",":tmpdir"="read"},network={enabled=true}}',
  ],
])("the profile of a user with %s", (_, user, profile) => {
  const hidden = ["/home/me/.config/ccw-loop"];
  const kept = { inside: [".workflow"], elsewhere: ["/main/.workflow"], hidden };
  expect(profileSettings(kept, user)).toEqual([profile, 'default_permissions="ccw-loop"']);
});

it("finds the variables that Codex's settings name", () => {
  const config = `
model = "gpt-5.5"
[model_providers.a]
env_key = "A_KEY"
env_http_headers = { "X-One" = "HEADER_ONE", 'X-Two' = 'HEADER_TWO' }
[mcp_servers.b]
bearer_token_env_var = 'B_TOKEN'
env_vars = [
  "C_ONE", 'C_TWO',
]
env = { "SHOWN" = "VALUE" }
`;
  expect(environmentNamesIn(config).toSorted()).toEqual([
    ...["A_KEY", "B_TOKEN", "C_ONE", "C_TWO", "HEADER_ONE", "HEADER_TWO"],
  ]);
});
