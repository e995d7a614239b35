import { readFile, stat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  applyPatch,
  type ModelScript,
  type ModelServer,
  message,
  offlineCodexHome,
  startModelServer,
  tempRepo,
} from "../src/index.ts";
import { functionCall } from "../src/model-server/script.ts";

const BODY = {
  model: "m",
  input: [
    { role: "user", content: [{ type: "input_text", text: "<environment_context>" }] },
    { role: "user", content: [{ type: "input_text", text: "first" }] },
    { type: "function_call_output", call_id: "1", output: "exit 0" },
    { type: "custom_tool_call_output", call_id: "2", output: { ok: true } },
    { role: "user", content: "second" },
  ],
};

function ask(server: ModelServer, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.baseUrl}/responses`, {
    ...{ method: "POST", body: JSON.stringify(BODY) },
    ...(signal ? { signal } : {}),
  });
}

/** The types of the events of an answer, and its text. */
async function answer(script: ModelScript): Promise<{ types: string[]; text: string }> {
  await using server = await startModelServer({ script });
  const text = await (await ask(server)).text();
  const types = [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1] ?? "");
  return { types, text };
}

describe("the scripted model server", () => {
  it("streams items between the first and the last event", async () => {
    const { types, text } = await answer([
      { items: [message("Hello."), functionCall("exec_command", { cmd: "ls" })] },
    ]);
    expect(types.filter((type) => type !== "response.output_text.delta")).toEqual([
      "response.created",
      ...["response.output_item.added", "response.output_item.done"],
      ...["response.output_item.added", "response.output_item.done"],
      "response.completed",
    ]);
    expect(text).toContain('"total_tokens":120');
    expect(text).toContain(JSON.stringify('{"cmd":"ls"}'));
  });

  it("ends as its step says", async () => {
    const failed = { code: "context_length_exceeded", message: "too long" };
    expect((await answer([{ failed }])).types.at(-1)).toBe("response.failed");
    const cut = await answer([{ incomplete: "max_output_tokens" }]);
    expect(cut.types.at(-1)).toBe("response.incomplete");
    const early = await answer([{ items: [message("half")], endEarlyAfter: 2 }]);
    expect(early.types).toHaveLength(2);
    await expect(answer([{ items: [message("half")], cutAfter: 2 }])).rejects.toThrow();
  });

  it("answers HTTP errors with their headers", async () => {
    await using server = await startModelServer({
      script: [{ status: 429, headers: { "retry-after": "7" } }],
    });
    const response = await ask(server);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
  });

  it("hangs and stalls for as long as the client stays", async () => {
    await using server = await startModelServer({
      script: [{ hang: true }, { items: [message("half")], stallAfter: 1 }],
    });
    await expect(ask(server, AbortSignal.timeout(100))).rejects.toThrow();
    const stalled = await ask(server, AbortSignal.timeout(300));
    expect(stalled.status).toBe(200);
    await expect(stalled.text()).rejects.toThrow();
    await expect.poll(() => server.requests.map(({ closed }) => closed)).toEqual([true, true]);
  });

  it("records what it was asked, and answers by it", async () => {
    await using server = await startModelServer({
      script: ({ userTexts }) => ({ items: [message(`heard ${userTexts.at(-1)}`)] }),
    });
    expect(await (await ask(server)).text()).toContain("heard second");
    expect(server.requests[0]).toMatchObject({
      index: 0,
      userTexts: ["first", "second"],
      toolOutputs: ["exit 0", '{"ok":true}'],
    });
  });

  it("says when its script is over, and takes another one", async () => {
    await using server = await startModelServer({ script: [] });
    expect(await (await ask(server)).text()).toContain("exhausted");
    server.play([{ items: [message("new script")] }]);
    expect(await (await ask(server)).text()).toContain("new script");
  });

  it("writes patches as Codex reads them", () => {
    expect(applyPatch("*** Add File: a\n+b\n").input).toBe(
      "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n",
    );
  });
});

it("makes a Codex home that only knows the model server", async () => {
  await using home = await offlineCodexHome("http://127.0.0.1:1/v1", { config: "# more" });
  const config = await readFile(home.configFile, "utf8");
  expect(config).toContain('base_url = "http://127.0.0.1:1/v1"');
  expect(config).toContain("check_for_update_on_startup = false");
  expect(config.endsWith("# more")).toBe(true);
  expect(home.path.startsWith(home.env.TMPDIR ?? "")).toBe(false);
  await home.remove();
  await expect(stat(home.path)).rejects.toMatchObject({ code: "ENOENT" });
});

it("makes a repository with one commit", async () => {
  await using repo = await tempRepo({ "src/a.txt": "a\n" });
  expect(await repo.git("ls-files")).toBe("src/a.txt\n");
  expect(await repo.git("status", "--short")).toBe("");
});
