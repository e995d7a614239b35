import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** The least that can run a turn: what ours is measured against. */
export interface BareClient {
  turn(prompt: string): Promise<void>;
  close(): Promise<void>;
}

export async function bareClient(
  binary: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
  cwd: string,
): Promise<BareClient> {
  const child = spawn(binary, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const answers = new Map<number, (result: { thread: { id: string } }) => void>();
  let ended = () => {};
  let next = 1;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === "turn/completed") ended();
    else if (message.method === undefined) answers.get(message.id)?.(message.result);
  });
  const request = (method: string, params: object) => {
    const id = next++;
    const answer = new Promise<{ thread: { id: string } }>((resolve) => answers.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ method, id, params })}\n`);
    return answer;
  };
  await request("initialize", { clientInfo: { name: "bare", title: "bare", version: "0" } });
  child.stdin.write('{"method":"initialized"}\n');
  const opened = await request("thread/start", {
    cwd,
    sandbox: "workspace-write",
    approvalPolicy: "never",
  });
  return {
    async turn(prompt) {
      const over = new Promise<void>((resolve) => {
        ended = resolve;
      });
      const input = [{ type: "text", text: prompt, text_elements: [] }];
      await request("turn/start", { threadId: opened.thread.id, input });
      await over;
    },
    async close() {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
