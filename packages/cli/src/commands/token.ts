import { resolve } from "node:path";
import { ClientTokens, userTokenFile } from "@ccw-loop/api/node";
import { shellWord } from "@ccw-loop/core";
import { table } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";

export interface TokenFlags {
  tokenFile?: string;
}

export interface AddFlags extends TokenFlags {
  readOnly?: true;
  project?: string[];
}

/** Makes a client's token, and prints it: nobody can read it afterwards. */
export async function add(context: Context, name: string, flags: AddFlags): Promise<Answer> {
  const role = flags.readOnly ? "reader" : "operator";
  const projects = flags.project ?? null;
  const token = await tokensOf(context, flags).add({ name, role, projects });
  context.say(context.hint(onceText(name)));
  return { data: { name, role, projects, token }, text: token };
}

/** Who has a token, and what each may do. */
export async function list(context: Context, flags: TokenFlags): Promise<Answer> {
  const tokens = tokensOf(context, flags);
  const clients = await tokens.list();
  const data = { clients, folder: tokens.folder };
  if (clients.length === 0) {
    const next = "No client has a token. Make one with: ccw-loop token add laptop";
    return { data, text: context.hint(next) };
  }
  const rows = clients.map(({ name, role, projects, made_at }) => ({
    tone: "plain" as const,
    cells: [name, ROLES[role], projects?.join(", ") ?? "all", made_at],
  }));
  const head = ["CLIENT", "MAY", "PROJECTS", "MADE"];
  return { data, text: table(head, rows, { columns: undefined, paint: context.paint }).join("\n") };
}

/** Gives a client another token; the one before is none from then on. */
export async function rotate(context: Context, name: string, flags: TokenFlags): Promise<Answer> {
  const token = await tokensOf(context, flags).rotate(name);
  context.say(context.hint(onceText(name)));
  return { data: { name, token }, text: token };
}

/** Takes a client's token from it. */
export async function revoke(context: Context, name: string, flags: TokenFlags): Promise<Answer> {
  await tokensOf(context, flags).revoke(name);
  return { data: { name }, text: `The token of ${name} lets nobody in any more.` };
}

const ROLES = { operator: "everything", reader: "look" } as const;
function onceText(name: string): string {
  const header = "in the header `Authorization: Bearer …`";
  return `This is shown once. Servers take it from now on, ${header}; withdraw it with: ccw-loop token revoke ${shellWord(name)}`;
}

function tokensOf({ io, cwd }: Context, { tokenFile }: TokenFlags): ClientTokens {
  return new ClientTokens(
    tokenFile === undefined ? userTokenFile(io.env) : resolve(cwd, tokenFile),
  );
}
