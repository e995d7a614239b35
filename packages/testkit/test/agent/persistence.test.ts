import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { processesRunning, scriptedAgent } from "../../src/index.ts";
import { ask, conversation, emptyFolder } from "./conversations.ts";

describe("the position in the script", () => {
  it("is kept for the next process, in a file that only the user may read", async () => {
    const turns = [{ answer: "1" }, { answer: "2" }];
    const first = await conversation(turns);
    await ask(first.session, "# ACTION: INIT\nwith much more text");
    await first.session.close();

    const home = join(first.cwd, ".workflow", "scripted-agent");
    expect(await readdir(home)).toEqual([".gitignore", `${first.session.id}.json`]);
    const file = join(home, `${first.session.id}.json`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      session_id: first.session.id,
      used: [0],
      heard: ["# ACTION: INIT"],
      turns: [{ used: 1, heard: 1 }],
    });

    const second = await conversation(turns, { cwd: first.cwd, sessionId: first.session.id });
    expect((await ask(second.session)).text).toBe("2");
  });

  it("is kept in the folder that is named", async () => {
    const home = join(await emptyFolder(), "kept", "here");
    const { session, cwd } = await conversation([{ answer: "1" }], { home });
    expect(await readdir(home)).toEqual([".gitignore", `${session.id}.json`]);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("starts over when its file is damaged", async () => {
    const turns = [{ answer: "1" }, { answer: "2" }];
    const first = await conversation(turns);
    await ask(first.session);
    await first.session.close();
    const file = join(first.cwd, ".workflow", "scripted-agent", `${first.session.id}.json`);
    await writeFile(file, '{"session_id":');

    const second = await conversation(turns, { cwd: first.cwd, sessionId: first.session.id });
    expect(second.session.id).not.toBe(first.session.id);
    expect((await ask(second.session)).text).toBe("1");
  });

  it("is read from nowhere but its folder", async () => {
    const root = await emptyFolder();
    const stranger = { session_id: "../stranger", used: [0], heard: [] };
    await writeFile(join(root, "stranger.json"), JSON.stringify(stranger));
    const { session } = await conversation([{ answer: "1" }], {
      home: join(root, "home"),
      sessionId: stranger.session_id,
    });
    expect(session.id).not.toBe(stranger.session_id);
    expect((await ask(session)).text).toBe("1");
  });

  it("does not move when the process is killed, and what it left running is ended", async () => {
    const cwd = await emptyFolder();
    const sleep = `sleep ${910_000_000 + process.pid}`;
    const file = join(cwd, "script.json");
    const cutOff = { steps: [{ background: sleep }, { run: `echo up; ${sleep}` }], answer: "2" };
    await writeFile(file, JSON.stringify({ turns: [{ answer: "1" }, cutOff] }));

    const program = fileURLToPath(import.meta.resolve("./fixtures/two-turns.ts"));
    const child = spawn(process.execPath, [program, file, cwd], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [sessionId] = await once(child.stdout.setEncoding("utf8"), "data");
    await vi.waitFor(() => expect(processesRunning(sleep)).not.toEqual([]), 10_000);
    child.kill("SIGKILL");
    await once(child, "exit");

    const open = { cwd, sessionId: String(sessionId).trim(), instructions: "" };
    const session = await scriptedAgent({ file }).open(open);
    expect(session.id).toBe(open.sessionId);
    expect(processesRunning(sleep)).toEqual([]);
    await writeFile(file, JSON.stringify({ turns: [{ answer: "1" }, { answer: "2 again" }] }));
    expect((await ask(session)).text).toBe("2 again");
    await session.close();
  });
});
