import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Installed, npmInstall } from "../../support/npm-install.ts";
import type { Tool } from "./tool.ts";

const ROOT = join(import.meta.dirname, "../../..");

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
