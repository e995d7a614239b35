import type { Detector, Folder } from "./detector.ts";
import { cmake, RAKE_TEST, RAKEFILES } from "./languages.ts";

/** A file of a tool, and what it says where there is something to test. */
interface Tool {
  files: readonly string[];
  says: RegExp;
  command: (found: string) => string;
}

const TOOLS: readonly Tool[] = [
  { files: ["mix.exs"], says: /(?:)/, command: () => "mix test" },
  { files: ["build.zig"], says: /step\("test"/, command: () => "zig build test" },
  { files: ["deno.json", "deno.jsonc"], says: /(?:)/, command: () => "deno test" },
  { files: RAKEFILES, says: RAKE_TEST, command: () => "rake test" },
  ...["Makefile", "GNUmakefile", "makefile"].map((file) => ({
    files: [file],
    says: /^(test|check)\s*:(?!=)/m,
    command: (found: string) => `make ${found}`,
  })),
  {
    files: ["justfile", "Justfile", ".justfile"],
    says: /^@?(test|check)(?:\s[^:=]*)?:(?!=)/m,
    command: (found) => `just ${found}`,
  },
  {
    files: ["Taskfile.yml", "Taskfile.yaml"],
    says: /^ {2}(test|check):/m,
    command: (found) => `task ${found}`,
  },
];

/** Helpers of Bats that projects take in have tests of their own. */
const BORROWED = /(^|\/)(test_helper|vendor|bats-[^/]+)\//;
const FOLDERS = 8;

/** Tests in Bats, which print TAP. */
export const bats: Detector = (folder) => {
  const all = foldersOf(folder, /\.bats$/);
  if (all.length === 0) return [];
  return [{ command: `bats ${all.join(" ")}`, source: all.join(", "), report: "bats" }];
};

/** Perl's tests, which print TAP too. */
export const perl: Detector = (folder) => {
  const source = folder.find(/^t\/.*\.t$/);
  return source === null ? [] : [{ command: "prove -lvr t", source, report: "prove" }];
};

/** What the project's own build tool calls its tests, where nothing else was found. */
export const tool: Detector = (folder) => {
  // It writes a Makefile with tests into the folder that it is called in.
  const built = cmake(folder);
  if (built.length > 0) return built;
  for (const { files, says, command } of TOOLS) {
    for (const source of files) {
      const runs = folder.text(source);
      const found = runs === null ? null : says.exec(runs);
      if (runs === null || !found) continue;
      return [{ command: command(found[1] ?? ""), source, report: "script", runs }];
    }
  }
  return [];
};

/** The folders that hold such files themselves. */
function foldersOf(folder: Folder, path: RegExp): string[] {
  const folders = new Set<string>();
  for (const file of folder.matching(path)) {
    if (BORROWED.test(file)) continue;
    folders.add(file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".");
  }
  const all = [...folders];
  return all.length <= FOLDERS && all.every((one) => /^[\w./-]+$/.test(one)) ? all : [];
}
