import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Tool } from "./tool.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** What lies in the folder then. */
export interface Installed {
  /** `NAME VERSION` of each package that was named. */
  versions: string;
  megabytes: number;
  packages: number;
}

/** Installs what the tool needs into an empty folder; undefined where it needs nothing. */
export function install(folder: string, tool: Tool): Installed | "failed" | undefined {
  if (tool.packages === "ours") return installOurs(folder);
  return tool.packages.length > 0
    ? npmInstall(folder, tool.packages, tool.installFlags)
    : undefined;
}

/** This repository's packages, packed as they are published; the repository has to be built. */
function installOurs(folder: string): Installed | "failed" {
  const tarballs: string[] = [];
  for (const file of globSync("{packages,apps}/*/package.json", { cwd: ROOT })) {
    const cwd = join(ROOT, dirname(file));
    if (JSON.parse(readFileSync(join(cwd, "package.json"), "utf8")).private) continue;
    const tarball = join(folder, "packed", `${file.split("/")[1]}.tgz`);
    execFileSync("pnpm", ["pack", "--out", tarball], { cwd, stdio: "pipe" });
    tarballs.push(tarball);
  }
  const found = npmInstall(folder, tarballs);
  return found === "failed" ? found : { ...found, versions: "this checkout" };
}

function npmInstall(
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
