// An import statement reads every export of such a module, and behind some are getters that load others.
const builtin = process.getBuiltinModule ?? ((name) => import(name));
const { existsSync, readFileSync } = await builtin("node:fs");
const { fileURLToPath } = await builtin("node:url");

const NOT_ON_WINDOWS =
  "ccw-loop runs on Linux and macOS; on Windows, run it in WSL (https://learn.microsoft.com/windows/wsl/install).";

/**
 * Runs the command line with `words` before the arguments of this process. This file and those that import it run on
 * Node 18; what needs the version in package.json is imported once that is there.
 */
export async function start(...words) {
  if (process.platform === "win32") {
    process.stderr.write(`${NOT_ON_WINDOWS}\n`);
    process.exitCode = 5;
    return;
  }
  const checkout = fileURLToPath(new URL("../../../scripts/x.mjs", import.meta.url));
  const isCheckout = existsSync(checkout);
  // Sources need a newer Node than what is made of them.
  const manifest = new URL(
    isCheckout ? "../../../package.json" : "../package.json",
    import.meta.url,
  );
  const { engines } = JSON.parse(readFileSync(manifest, "utf8"));
  if (!nodeFits(process.versions.node, engines.node)) {
    const next = isCheckout
      ? `This checkout brings its own: node ${checkout} cli ARGS`
      : "Get it from https://nodejs.org/en/download, and give the same command again.";
    process.stderr.write(`${missingNode(engines.node)}\n${next}\n`);
    process.exitCode = 5;
    return;
  }
  process.getBuiltinModule("node:module").enableCompileCache();
  if (isCheckout) await import("../../../scripts/jsx.mjs");
  const { main, processIo } = await import("@ccw-loop/cli");
  const code = await main([...words, ...process.argv.slice(2)], processIo());
  process.exitCode = code;
  // An interrupted command may leave work behind that would keep the process alive.
  if (code > 128) process.exit(code);
}

/** Whether a version such as `20.19.2` is in a range such as `^22.22.2 || >=24.15.0`; no other operators are known. */
export function nodeFits(version, range) {
  const [major, minor, patch] = numbersIn(version);
  return range.split("||").some((part) => {
    const [a, b, c] = numbersIn(part.replace(/^\s*(\^|>=)/, ""));
    if (major !== a) return major > a && part.includes(">=");
    return minor === b ? patch >= c : minor > b;
  });
}

function numbersIn(version) {
  return version.split(".").map((part) => Number.parseInt(part, 10));
}

function missingNode(range) {
  const { versions, execPath } = process;
  const needed = range.replace(/\s*\|\|\s*/g, " or ");
  return `ccw-loop needs Node ${needed}; ${execPath} is Node ${versions.node}.`;
}
