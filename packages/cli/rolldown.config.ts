import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { fullHelp } from "./scripts/full-help.ts";

/**
 * The command line as one small entry and lazy chunks, flat in `dist`. Everything of ours is bundled, so that
 * there is one copy of core's error class and a command reads few files (the benchmark cli/start-up measures it).
 */
export default defineConfig({
  input: { index: "src/index.ts" },
  platform: "node",
  // The page is files, which lie beside its package; `serve` alone looks for them.
  external: ["@ccw-loop/web"],
  transform: {
    define: {
      // React has another build for development, which is larger and slower.
      "process.env.NODE_ENV": '"production"',
      // So that `--help` needs no argument parser.
      "globalThis.CCW_LOOP_HELP": JSON.stringify(fullHelp()),
    },
    // The oldest Node of package.json#engines knows no `using`.
    target: "node22.22",
  },
  plugins: [
    freshFolder(),
    quickBuiltins(),
    withoutExecutableCommands(),
    withoutDevtools(),
    lateWidths(),
  ],
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[name]-[hash].js",
    // Names and lines stay readable in a stack; only what can never run is left out.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    comments: { legal: true },
    codeSplitting: {
      // Modules that are always read together, each lot in one file.
      groups: [
        {
          name: "start",
          test: ours("main", "own-package", "runtime/io", "runtime/once"),
          priority: 1,
        },
        {
          name: "program",
          test: either(
            /[\\/]commander[\\/]/,
            ours("execute", "program/(?:program|commands|options|work-commands|loop-commands)"),
          ),
        },
        {
          name: "command",
          test: ours(
            ...["runtime/perform", "runtime/context", "runtime/compose", "runtime/project-root"],
            ...["runtime/hints", "runtime/program-call", "runtime/loop-names"],
            ...["extensions/agent-registry", "extensions/module-file"],
            ...["extensions/operator-modules", "extensions/load", "extensions/store-choice"],
          ),
        },
        {
          name: "loops",
          test: either(
            // With what they read of core; the rest of it is read with what drives loops.
            /[\\/](?:zod|packages[\\/]store-fs)[\\/]/,
            /[\\/]processes[\\/]src[\\/]identity\.ts$/,
          ),
        },
        {
          name: "database",
          test: /[\\/]packages[\\/]store-postgres[\\/]|[\\/]node_modules[\\/]pg[a-z-]*[\\/]/,
        },
      ],
    },
  },
});

/** Files of this package by their names below `src`. */
function ours(...names: string[]): RegExp {
  return new RegExp(`[\\\\/]cli[\\\\/]src[\\\\/](?:${names.join("|")})\\.ts$`);
}

function either(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"));
}

/** Removes the chunks of an earlier build; the types beside them are made by tsc. */
function freshFolder(): Plugin {
  return {
    name: "fresh-folder",
    generateBundle({ dir = "dist" }) {
      for (const file of globSync("*.js", { cwd: dir })) rmSync(join(dir, file));
    },
  };
}

/**
 * Takes Node's own modules by `process.getBuiltinModule`. An import statement reads every export of such a
 * module, and behind some (of `util`, `process`, `crypto`) are getters that load further modules: together
 * about a tenth of the time that `list` takes.
 */
function quickBuiltins(): Plugin {
  const IMPORT =
    /^import (?:([\w$]+)|\* as ([\w$]+)|(?:([\w$]+), )?\{([^}]*)\}) from "(node:[\w/]+)";$/gm;
  return {
    name: "quick-builtins",
    renderChunk(code) {
      return code.replaceAll(IMPORT, (_, one, all, both, names: string | undefined, id: string) => {
        const module = `globalThis.process.getBuiltinModule("${id}")`;
        const whole = one ?? all ?? both;
        const named = names?.replaceAll(" as ", ": ");
        return [
          ...(whole === undefined ? [] : [`const ${whole} = ${module};`]),
          ...(named === undefined ? [] : [`const {${named}} = ${module};`]),
        ].join(" ");
      });
    },
  };
}

/** Commander can start programs as its subcommands; we have none, and `child_process` loads half of the network. */
function withoutExecutableCommands(): Plugin {
  return nothingFor("without-executable-commands", "node:child_process", /[\\/]commander[\\/]/);
}

/** Ink can be inspected with the tools of React, which are not installed with it. */
function withoutDevtools(): Plugin {
  return nothingFor("without-devtools", "./devtools.js", /[\\/]ink[\\/]build[\\/]/);
}

/**
 * Reads `string-width` when the first text is measured that is not plain: what it sets up takes a third of the time that
 * a command takes, and most texts need none of it.
 */
function lateWidths(): Plugin {
  const LATE = "\0late-string-width";
  let isEmitted = false;
  return {
    name: "late-widths",
    buildStart() {
      isEmitted = false;
    },
    async resolveId(id, importer) {
      const found =
        id === "string-width" ? await this.resolve(id, importer, { skipSelf: true }) : null;
      if (!found) return null;
      if (!isEmitted) this.emitFile({ type: "chunk", id: found.id, fileName: "string-width.js" });
      isEmitted = true;
      return LATE;
    },
    load: (id) =>
      id === LATE
        ? [
            'import { createRequire } from "node:module";',
            "let measure;",
            "export default function stringWidth(...given) {",
            '  measure ??= createRequire(import.meta.url)("./string-width.js").default;',
            "  return measure(...given);",
            "}",
          ].join("\n")
        : null,
  };
}

/** An empty module in the place of the one that `importer` names so. */
function nothingFor(name: string, wanted: string, of: RegExp): Plugin {
  const NOTHING = `\0nothing-${name}`;
  return {
    name,
    resolveId: (id, importer) => (id === wanted && of.test(importer ?? "") ? NOTHING : null),
    load: (id) => (id === NOTHING ? "export default {};" : null),
  };
}
