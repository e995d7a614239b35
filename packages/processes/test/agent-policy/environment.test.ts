import { expect, it } from "vitest";
import { agentEnvironment } from "../../src/agent-policy/environment.ts";

it("passes what is allowed or named, and never what is ours", () => {
  const source = {
    ...{
      PATH: "/bin",
      HOME: "/h",
      LC_ALL: "C",
      https_proxy: "p",
      NO_PROXY: "n",
      DO_NOT_TRACK: "1",
    },
    ...{ SSL_CERT_FILE: "/c", CODEX_HOME: "/x", MY_KEY: "k", EMPTY: undefined },
    ...{ GITHUB_TOKEN: "s", CCW_LOOP_TOKEN: "s", NODE_OPTIONS: "--inspect", PATHS: "no" },
  };
  const passed = agentEnvironment(source, ["CODEX_*", "MY_KEY", "CCW_LOOP_TOKEN", "EMPTY"]);
  expect(Object.keys(passed).toSorted()).toEqual([
    "CODEX_HOME",
    "DO_NOT_TRACK",
    "HOME",
    "LC_ALL",
    "MY_KEY",
    "NO_PROXY",
    "PATH",
    "SSL_CERT_FILE",
    "https_proxy",
  ]);
});
