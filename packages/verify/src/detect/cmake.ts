import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Folder } from "./folder.ts";
import type { Detector } from "./suite.ts";

const ENABLES = /^\s*(enable_testing\s*\(|include\s*\(\s*CTest\b)/im;
/** Names under which projects keep what CMake builds. */
const CMAKE_FOLDERS = ["build", "_build", "out", "cmake-build-debug"];

/**
 * Configured and built before ctest runs, in a folder that Git does not see: one that was configured already, else one
 * that the project ignores, else one that ignores itself.
 */
export const cmake: Detector = (folder) => {
  const source = "CMakeLists.txt";
  const top = folder.head(source);
  if (top === null) return [];
  if (!ENABLES.test(top) && folder.find(/\/CMakeLists\.txt$/, ENABLES) === null) return [];
  const known = knownFolder(folder);
  const build = known ?? "cmake-build-tests";
  const ignored =
    known === undefined
      ? [`cmake -E make_directory ${build}`, `echo '*' > ${build}/.gitignore`]
      : [];
  const commands = [...ignored, `cmake -S . -B ${build}`, `cmake --build ${build}`];
  return [
    ...commands.map((command) => ({ command, source, report: "exit-code" })),
    { command: `ctest --test-dir ${build} --output-on-failure`, source, report: "ctest" },
  ];
};

function knownFolder(folder: Folder): string | undefined {
  const configured = CMAKE_FOLDERS.find((name) =>
    existsSync(join(folder.path, name, "CMakeCache.txt")),
  );
  if (configured !== undefined) return configured;
  const ignored = folder.head(".gitignore") ?? "";
  const lines = ignored.split("\n").map((line) => line.trim().replace(/^\/|\/?\*?$/g, ""));
  return CMAKE_FOLDERS.find((name) => lines.includes(name));
}
