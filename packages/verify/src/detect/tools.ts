import { join } from "node:path";
import { type Detector, findFile, findFiles, headOf } from "./detector.ts";
import { planOf } from "./plan.ts";

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
  {
    files: ["Rakefile", "rakefile", "Rakefile.rb"],
    says: /Rake::TestTask|Minitest::TestTask|^\s*task\s+:?["']?test\b/m,
    command: () => "rake test",
  },
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

/** Tests in Bats, else in Perl, which both print TAP. */
export const shell: Detector = async (cwd) => {
  const bats = await foldersOf(cwd, /\.bats$/);
  if (bats.length > 0) return planOf(`bats ${bats.join(" ")}`, bats.join(", "), "exit-code");
  const perl = await findFile(cwd, /^t\/.*\.t$/);
  return perl === null ? null : planOf("prove -lvr t", perl, "exit-code");
};

/** What the project's own build tool calls its tests, where nothing else was found. */
export const tool: Detector = async (cwd) => {
  for (const { files, says, command } of TOOLS) {
    for (const file of files) {
      const text = await headOf(join(cwd, file));
      const found = text === null ? null : says.exec(text);
      if (found) return planOf(command(found[1] ?? ""), file, "exit-code");
    }
  }
  return null;
};

/** The folders that hold such files themselves. */
async function foldersOf(cwd: string, path: RegExp): Promise<string[]> {
  const folders = new Set<string>();
  for await (const file of findFiles(cwd, path)) {
    if (BORROWED.test(file)) continue;
    folders.add(file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".");
  }
  const all = [...folders];
  return all.length <= FOLDERS && all.every((one) => /^[\w./-]+$/.test(one)) ? all : [];
}
