import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { VerifyOptions } from "@ccw-loop/core";

type Room = NonNullable<VerifyOptions["room"]>;
type Env = Readonly<Record<string, string>>;

/**
 * What toolchains keep in a home folder and cannot do without: the operator's own place is named to them. Settings and
 * start-up files of the home folder are not among it.
 */
const TOOLCHAINS: Readonly<Record<string, string>> = {
  RUSTUP_HOME: ".rustup",
  CARGO_HOME: ".cargo",
  GOMODCACHE: "go/pkg/mod",
  GOCACHE: ".cache/go-build",
  PYENV_ROOT: ".pyenv",
  PYTHONUSERBASE: ".local",
  RBENV_ROOT: ".rbenv",
  GRADLE_USER_HOME: ".gradle",
  NUGET_PACKAGES: ".nuget/packages",
  COMPOSER_HOME: ".config/composer",
  MIX_HOME: ".mix",
  HEX_HOME: ".hex",
  npm_config_cache: ".npm",
  COREPACK_HOME: ".cache/node/corepack",
};

/** Files and folders in those places that change what the tools do: settings, start-up scripts, installed versions. */
const SETTINGS = [
  ["CARGO_HOME", "config.toml"],
  ["CARGO_HOME", "config"],
  ["CARGO_HOME", "registry/src"],
  ["GRADLE_USER_HOME", "gradle.properties"],
  ["GRADLE_USER_HOME", "init.d"],
  ["GRADLE_USER_HOME", "init.gradle"],
  ["COMPOSER_HOME", "config.json"],
  ["COMPOSER_HOME", "vendor"],
  ["GOMODCACHE", "."],
  ["MIX_HOME", "."],
] as const;

/** Where those are that are there. */
export function toolchainSettings(env: Env): string[] {
  const operator = env.HOME ?? homedir();
  return SETTINGS.map(([name, path]) =>
    join(env[name] ?? join(operator, TOOLCHAINS[name] ?? ""), path),
  ).filter(existsSync);
}

/** The environment of a clean room: an empty home and temporary folder beside its top, and the operator's toolchains. */
export function roomEnvironment(env: Env, top: string): Record<string, string> {
  const beside = dirname(top);
  const [home, tmp] = [join(beside, "home"), join(beside, "tmp")];
  for (const folder of [home, tmp]) mkdirSync(folder, { recursive: true });
  const operator = env.HOME ?? homedir();
  const found = Object.entries(TOOLCHAINS)
    .map(([name, path]) => [name, join(operator, path)] as const)
    .filter(([name, place]) => env[name] === undefined && existsSync(place));
  const kept = Object.entries(env).filter(
    ([name]) => !/^(XDG_|npm_config_userconfig$)/i.test(name),
  );
  const maven = join(operator, ".m2/repository");
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(found),
    ...(existsSync(maven)
      ? { MAVEN_OPTS: `${env.MAVEN_OPTS ?? ""} -Dmaven.repo.local=${maven}`.trim() }
      : {}),
    HOME: home,
    ...{ TMPDIR: tmp, TMP: tmp, TEMP: tmp },
  };
}

/**
 * The words in front of a command that hide the project from it, but for the folders into which links of the room lead,
 * and those only to read. `hidden` are more folders that are not shown. Null where bubblewrap is not installed or may not be used.
 */
export function sandboxCommand(
  { project, linked }: Room,
  hidden: readonly string[],
): string[] | null {
  if (project === "" || !canSandbox()) return null;
  const shown = linked.flatMap((folder) => ["--ro-bind", folder, folder]);
  const empty = [project, ...hidden.filter((folder) => existsSync(folder))];
  const covers = empty.flatMap((folder) => ["--tmpfs", folder]);
  return ["bwrap", "--dev-bind", "/", "/", ...covers, ...shown, "--die-with-parent", "--"];
}

let bubblewrapWorks: boolean | undefined;

/** Whether bubblewrap works here: it may be there and be refused by the system. */
export function canSandbox(): boolean {
  if (process.platform !== "linux") return false;
  bubblewrapWorks ??=
    spawnSync("bwrap", ["--dev-bind", "/", "/", "--tmpfs", "/mnt", "true"], {
      stdio: "ignore",
      timeout: 10_000,
    }).status === 0;
  return bubblewrapWorks;
}
