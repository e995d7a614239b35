import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { CONFIG } from "./support/fake-io.ts";
import { hang, type Project, plan, project, stateOf, write } from "./support/project.ts";

/** The official client at `ccw-loop mcp` of a project, over real pipes. */
async function connected(here: Project, ...flags: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", ...here.flags, ...flags],
    cwd: here.dir,
    env: { PATH: process.env.PATH ?? "", HOME: "/nonexistent", XDG_CONFIG_HOME: CONFIG },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (text) => {
    said += text;
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await client.callTool({ name, arguments: args });
    const [part] = answer.content as { type: string; text: string }[];
    const data = (answer.structuredContent ?? {}) as Record<string, unknown>;
    return { isError: answer.isError === true, text: part?.text ?? "", data };
  };
  return { client, call, said: () => said };
}

test("another program's agent has a task done and sees the proof", async () => {
  await using here = await project(plan, write("42"));
  const { client, call } = await connected(here, "--max-cost", "5");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    ...["run_loop", "list_loops", "show_loop", "change_loop"],
  ]);
  expect(client.getInstructions()).toContain("run_loop");

  const begun = await call("run_loop", { task: "Find the answer" });
  expect(begun).toMatchObject({ isError: false, data: { status: "running" } });
  const loop = begun.data.loop_id;
  const ended = await vi.waitFor(
    async () => {
      const shown = await call("show_loop", { loop: "@last", wait_seconds: 20 });
      expect(shown.data.status).toBe("completed");
      return shown;
    },
    { timeout: 60_000 },
  );
  expect(ended.data).toMatchObject({ loop_id: loop, receipt: { passed: true }, exit_code: 0 });
  expect(ended.text).toMatch(/^Completed/);
  expect((await call("list_loops", { status: "completed" })).text).toContain(String(loop));
  expect(await stateOf(here, String(loop))).toMatchObject({
    limits: { max_cost_usd: 5 },
    settings: { mode: "auto" },
  });
});

test("a client that leaves pauses what it has started; pause, resume and stop are tools", {
  tags: ["slow"],
}, async () => {
  const { once: _, ...hangs } = hang;
  await using here = await project(plan, { ...hangs, repeat: true });
  const { client, call } = await connected(here);
  const hanging = async () => {
    const { data } = await call("run_loop", { task: "Find the answer" });
    const id = String(data.loop_id);
    const act = async () => expect((await stateOf(here, id)).action?.name).toBe("DEVELOP");
    await vi.waitFor(act, { timeout: 20_000 });
    return id;
  };
  const loop = await hanging();
  const paused = await call("change_loop", { loop, change: "pause", reason: "a look" });
  expect(paused.data.status).toBe("paused");
  expect((await call("change_loop", { loop, change: "stop" })).data.status).toBe("failed");
  expect(await call("change_loop", { loop, change: "resume" })).toMatchObject({ isError: true });

  const second = await hanging();
  await client.close();
  await vi.waitFor(async () => expect((await stateOf(here, second)).status).toBe("paused"), {
    timeout: 20_000,
  });
});

test("what is refused is said, and the server goes on", async () => {
  await using here = await project(plan);
  const { client, call } = await connected(here);
  expect(await call("show_loop", { loop: "none" })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^loop_not_found: /),
  });
  expect((await call("run_loop", { task: " " })).isError).toBe(true);
  expect((await call("show_loop", { loop: "a", wait_seconds: 900 })).isError).toBe(true);
  await expect(client.callTool({ name: "answer_loop", arguments: {} })).rejects.toThrow(
    /answer_loop/,
  );
  expect((await call("list_loops")).text).toContain("No loops here yet");
});

test("settings that are wrong end it before anything is served", async () => {
  await using here = await project(plan);
  const { code, out, err } = await here.cli("mcp", "--max-turns", "0");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("--max-turns");
});
