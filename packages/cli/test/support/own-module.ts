import { existsSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A module of an agent that writes 42, as plain JavaScript; loading it leaves a file. */
export interface OwnModule {
  file: string;
  /** Whether it was loaded since the last look. */
  wasLoaded(): boolean;
}

/** The operator's own configuration, and modules beside it. Removed when disposed. */
export interface OwnConfig extends AsyncDisposable {
  /** Beside the configuration, or in `folder`. */
  module(name: string, folder?: string): OwnModule;
  write(config: object): Promise<void>;
  file: string;
  env: { XDG_CONFIG_HOME: string };
}

export async function ownConfig(): Promise<OwnConfig> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "ccw-own-")));
  const folder = join(home, "ccw-loop");
  await mkdir(folder, { mode: 0o700 });
  const file = join(folder, "config.json");
  return {
    file,
    env: { XDG_CONFIG_HOME: home },
    module: (name, place = folder) => ownModule(join(place, name), join(home, `${name}.loaded`)),
    write: async (config) => writeFileSync(file, JSON.stringify(config)),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

function ownModule(file: string, mark: string): OwnModule {
  writeFileSync(file, sourceOf(mark));
  return {
    file,
    wasLoaded() {
      const was = existsSync(mark);
      rmSync(mark, { force: true });
      return was;
    },
  };
}

/** Each opening counts as a loading: Node reads a module once in a process. */
const sourceOf = (mark: string) => `import { writeFileSync } from "node:fs";
import { join } from "node:path";
writeFileSync(${JSON.stringify(mark)}, "");
const answer = { INIT: { tasks: [{ description: "write it" }] }, DEVELOP: { summary: "wrote it" } };
export default {
  describe: "writes an answer",
  open({ options = {} }) {
    writeFileSync(${JSON.stringify(mark)}, "");
    return {
      driver: "own",
      check: async () => ({ ok: true, version: null, problems: [], notes: [] }),
      async open({ cwd, onEvent }) {
        onEvent?.({ type: "session.started", session_id: "s" });
        return {
          id: "s",
          async run(prompt) {
            const [, action] = /^# ACTION: (\\w+)/.exec(prompt) ?? [];
            if (action === "DEVELOP") writeFileSync(join(cwd, "answer"), options.answer ?? "42");
            const text = { action, status: "success", message: "Done.", state_updates: answer[action] ?? {} };
            return { text: JSON.stringify(text), usage: null };
          },
          steer: async () => undefined,
          close: async () => undefined,
        };
      },
    };
  },
};
`;

/** A file below a folder, with the folders on the way. */
export async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
