import { spawnSync } from "node:child_process";
import { type ClientSetup, equal, type Proofs } from "./proof.ts";

/** Everything by curl alone, as a shell script would do it. */
export async function* curl({ url, tokenFile, settings }: ClientSetup): Proofs {
  // curl reads the token's header from a file, so it is in no list of processes.
  const header = `@${tokenFile}.header`;
  spawnSync("sh", [
    "-c",
    `printf 'Authorization: Bearer ' > "$1"; cat "$2" >> "$1"`,
    "sh",
    header.slice(1),
    tokenFile,
  ]);
  const ask = (method: string, path: string, body?: unknown) =>
    asked(["-X", method, "-H", header, ...sent(body), url + path]);

  equal("an empty list", ask("GET", "/api/loops/v2").json.total, 0);
  yield "lists loops";

  const made = ask("POST", "/api/loops/v2", { id: "cart", title: "Mend the cart", settings });
  equal("create", [made.status, made.json.data.status], [201, "created"]);
  yield "creates a loop";

  const { ticket } = ask("POST", "/api/tickets").json.data;
  const streamUrl = `${url}/api/loops/v2/cart/events?after=0&ticket=${ticket}`;
  const stream = spawnSync("sh", [
    "-c",
    `curl -sS -N --max-time 90 "$1" | sed '/^event: action.completed/q' & 
     curl -sS -f -o /dev/null -X POST -H "$2" "$3" && wait`,
    ...["sh", streamUrl, header, `${url}/api/loops/v2/cart/start`],
  ]);
  equal("the stream's order", eventsIn(String(stream.stdout)).slice(0, 2), [
    "loop.created",
    "loop.started",
  ]);
  yield "starts it, and reads its events by a ticket until an action is completed";

  equal("a ticket's second use", asked([streamUrl]).status, 401);
  yield "is refused a ticket that was used";

  equal("without a token", asked([`${url}/api/loops/v2`]).status, 401);
  equal("no such loop", ask("GET", "/api/loops/v2/nobody").json.code, "loop_not_found");
  equal(
    "no JSON",
    asked(["-X", "POST", "-H", header, ...sent("{"), `${url}/api/loops/v2`]).status,
    400,
  );
  equal("a form", asked(["-H", header, "-d", "title=a", `${url}/api/loops/v2`]).status, 415);
  equal("no such path", ask("GET", "/api/nothing").status, 404);
  yield "is told what was wrong, with status and code";
}

function sent(body: unknown): string[] {
  if (body === undefined) return [];
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return ["-H", "Content-Type: application/json", "-d", text];
}

function asked(args: readonly string[]) {
  const { stdout, stderr } = spawnSync(
    "curl",
    ["-sS", "--max-time", "30", "-w", "\n%{http_code}", ...args],
    { encoding: "utf8" },
  );
  const at = stdout.lastIndexOf("\n");
  const [text, status] = [stdout.slice(0, at), stdout.slice(at + 1)];
  if (status === "" || status === "000") throw new Error(`curl had no answer: ${stderr}`);
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: Number(status), json: JSON.parse(text) as any };
}

function eventsIn(stream: string): string[] {
  const names = [...stream.matchAll(/^event: (\S+)$/gm)].map(([, name = ""]) => name);
  return names.filter((name) => name !== "ping" && name !== "activity");
}
