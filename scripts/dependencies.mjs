#!/usr/bin/env node
/**
 * Prints docs/packages.md: each package with the packages of others that it needs, what for, and how large they are.
 * `--write` writes it. A test fails when it drifts: a new dependency needs its reason here.
 */
import { globSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const WHY = {
  "@hono/node-server": "lets the API listen with Node's own server",
  "@modelcontextprotocol/server":
    "the protocol of `ccw-loop mcp`; it is loaded by that command alone",
  "@opentelemetry/api": "the words of a trace",
  "@opentelemetry/exporter-metrics-otlp-http": "sends metrics to a collector",
  "@opentelemetry/exporter-trace-otlp-http": "sends traces to a collector",
  "@opentelemetry/resources": "says which service a trace is of",
  "@opentelemetry/sdk-metrics": "sends metrics at intervals",
  "@opentelemetry/sdk-trace": "gathers spans and sends them in batches",
  "@types/pg": "its published types name those of pg",
  chalk: "colours what the terminal interface draws",
  commander: "reads the command line and prints its help",
  "eventsource-parser": "reads live events in the client",
  execa: "starts git",
  hono: "routes requests, on any runtime with Web APIs",
  ink: "draws the terminal interface",
  "log-update": "draws the view of a running loop over itself",
  pg: "speaks to PostgreSQL",
  pgpass: "finds passwords where PostgreSQL's own programs do",
  pino: "writes the log of a server as lines of JSON",
  "pure-rand": "random numbers that a seed repeats, for faults and schedules",
  react: "the components of the terminal interface",
  sax: "reads JUnit and other XML reports of any size as they come",
  "string-width": "knows how many columns a character takes",
  "tap-parser": "reads TAP reports",
  "wrap-ansi": "wraps coloured lines",
  ws: "the `/ws` stream that older clients know",
  yaml: "reads the scripts of the scripted agent",
  zod: "schemas: what is read from a disk or a wire is checked by them",
};

/** Bytes of the files of a package, without those of its own dependencies. */
function sizeOf(folder) {
  const files = globSync("**/*", { cwd: folder, exclude: (name) => name === "node_modules" });
  return files.reduce((sum, name) => {
    const stat = statSync(join(folder, name));
    return stat.isFile() ? sum + stat.size : sum;
  }, 0);
}

const json = (file) => JSON.parse(readFileSync(file, "utf8"));

/** A package as it is installed, and all that it brings along. */
function closure(folder, found = new Map()) {
  const { name, version, dependencies = {} } = json(join(folder, "package.json"));
  if (found.has(`${name}@${version}`)) return found;
  found.set(`${name}@${version}`, sizeOf(folder));
  // pnpm puts what a package needs beside it.
  const beside = folder.slice(0, folder.length - name.length);
  for (const one of Object.keys(dependencies)) closure(realpathSync(join(beside, one)), found);
  return found;
}

function shown(bytes) {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function packagesDocument() {
  const sections = globSync("{packages,apps}/*/package.json", { cwd: root })
    .sort()
    .map((file) => {
      const folder = join(root, dirname(file));
      const { name, description, dependencies = {} } = json(join(root, file));
      const ours = Object.keys(dependencies).filter((one) => one.startsWith("@ccw-loop/"));
      const others = Object.keys(dependencies)
        .filter((one) => !ours.includes(one))
        .sort();
      const rows = others.map((one) => {
        const why = WHY[one];
        if (why === undefined)
          throw new Error(`scripts/dependencies.mjs says no reason for ${one}.`);
        const all = closure(realpathSync(join(folder, "node_modules", one)));
        const bytes = [...all.values()].reduce((sum, size) => sum + size, 0);
        const alone = all.size === 1 ? "" : `, ${all.size} packages`;
        return `| ${one} | ${why} | ${shown(bytes)}${alone} |`;
      });
      return [
        `## ${name}`,
        "",
        description.replaceAll("|", "\\|"),
        "",
        ...(ours.length > 0 ? [`Of ours: ${ours.sort().join(", ")}.`, ""] : []),
        ...(rows.length > 0
          ? ["| of others | what for | size |", "|---|---|---|", ...rows, ""]
          : ["It needs nothing of others.", ""]),
      ].join("\n");
    });
  return [
    "# What each package needs",
    "",
    "Sizes are those of the unpacked files, with everything that the dependency brings along. Made by `node scripts/dependencies.mjs --write`.",
    "",
    ...sections,
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = packagesDocument();
  if (process.argv.includes("--write")) writeFileSync(join(root, "docs/packages.md"), text);
  else process.stdout.write(text);
}
