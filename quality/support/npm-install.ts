import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What lies in the folder then. */
export interface Installed {
  /** `NAME VERSION` of each package that was named. */
  versions: string;
  megabytes: number;
  packages: number;
}

/** Installs packages of the registry, or packed ones, into an empty folder; says on stderr why it failed. */
export function npmInstall(
  cwd: string,
  packages: readonly string[],
  flags: readonly string[] = [],
): Installed | "failed" {
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "package.json"), '{ "name": "peers", "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...flags, ...packages];
  const { status, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" });
  if (status !== 0) {
    console.error(`npm ${args.join(" ")} ended with ${status}: ${stderr.slice(-500)}`);
    return "failed";
  }
  const lock = JSON.parse(readFileSync(join(cwd, "package-lock.json"), "utf8"));
  const size = execFileSync("du", ["-sm", "node_modules"], { cwd, encoding: "utf8" });
  const versions = packages.flatMap((name) => {
    const version = lock.packages[`node_modules/${name}`]?.version;
    return version ? [`${name} ${version}`] : [];
  });
  return {
    versions: versions.join(", "),
    megabytes: Number.parseInt(size, 10),
    packages: Object.keys(lock.packages).length - 1,
  };
}
