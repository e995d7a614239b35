import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { testEnvironment } from "../src/process/environment.ts";
import { project } from "./project.ts";

test.each([
  "PATH HOME LANG LC_ALL TMPDIR USER SHELL XDG_CACHE_HOME https_proxy",
  "NODE_OPTIONS NODE_ENV npm_config_registry PNPM_HOME",
  "PYTHONPATH PYTEST_ADDOPTS VIRTUAL_ENV GOPATH GOFLAGS CGO_ENABLED CARGO_HOME RUSTUP_HOME",
  "JAVA_HOME MAVEN_OPTS GRADLE_USER_HOME DOTNET_ROOT NUGET_PACKAGES",
  "GEM_HOME BUNDLE_GEMFILE RBENV_VERSION COMPOSER_HOME PHPRC PLAYWRIGHT_BROWSERS_PATH",
])("hands on %s", (names) => {
  for (const name of names.split(" ")) {
    expect(testEnvironment({ [name]: "value" }, "/")[name], name).toContain("value");
  }
});

test.each([
  "OPENAI_API_KEY AWS_SECRET_ACCESS_KEY GITHUB_TOKEN DATABASE_URL SSH_AUTH_SOCK",
  "GOOGLE_APPLICATION_CREDENTIALS GIT_DIR LD_PRELOAD VITEST CODEX_HOME",
  "CARGO_REGISTRY_TOKEN NODE_AUTH_TOKEN npm_config__authToken PYTHON_KEYRING_PASSWORD",
  "BUNDLE_RUBYGEMS__PKG__GITHUB__COM COMPOSER_AUTH DOTNET_PASSWORD NUGET_API_KEY",
  "NODE_TEST_CONTEXT NODE_V8_COVERAGE NODE_CHANNEL_FD",
])("withholds %s", (names) => {
  for (const name of names.split(" ")) {
    expect(testEnvironment({ [name]: "value" }, "/"), name).not.toHaveProperty(name);
  }
});

test("sets CI, and what is given over everything", () => {
  const env = testEnvironment({ LANG: "C", CI: "no" }, "/", { LANG: "de", DATABASE_URL: "db" });
  expect(env).toMatchObject({ CI: "1", LANG: "de", DATABASE_URL: "db" });
});

test("puts the project's own programs first on the PATH, the nearest before the others", async () => {
  const dir = await project({
    "node_modules/.bin/x": "",
    "a/node_modules/.bin/x": "",
    "a/.venv/bin/python": "",
  });
  const cwd = join(dir, "a");
  expect(testEnvironment({ PATH: "/usr/bin" }, cwd).PATH?.split(delimiter)).toEqual([
    join(cwd, "node_modules/.bin"),
    join(dir, "node_modules/.bin"),
    join(cwd, ".venv/bin"),
    "/usr/bin",
  ]);
});
