import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMissing, LoopError, Timestamp, tryParseJson } from "@ccw-loop/core";
import { z } from "zod";
import type { Client } from "../guard/clients.ts";
import { requireOwnFolder } from "./token-file.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What is kept of a client's token: never the token, and the file's name is its SHA-256. */
const Kept = z.object({
  name: z.string().regex(NAME),
  role: z.enum(["operator", "reader"]),
  projects: z.array(z.string()).nullable(),
  made_at: Timestamp,
});
export type KeptClient = z.infer<typeof Kept>;

/** What a new client may do; `projects` null for all of a server. */
export type NewClient = Pick<KeptClient, "name" | "role" | "projects">;

/**
 * Tokens of clients, beside the token of a server: named, each with what it may do. A file for each, so a server sees at the
 * next request that one was made or revoked.
 */
export class ClientTokens {
  readonly folder: string;

  /** Of the server whose own token is kept in that file. */
  constructor(tokenFile: string) {
    this.folder = join(dirname(tokenFile), "clients");
  }

  /** Whose token it is; undefined for one that is none, or none any more. What cannot be read lets nobody in. */
  find(token: string): Promise<Client | undefined> {
    return this.#read(`${digest(token)}.json`).catch(() => undefined);
  }

  async list(): Promise<KeptClient[]> {
    const kept = (await this.#all()).map(({ client }) => client);
    return kept.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Makes a token, which is told this once. Throws `invalid_input` for a name that is none, or is taken. */
  async add(client: NewClient): Promise<string> {
    if (!NAME.test(client.name)) {
      const shown = JSON.stringify(client.name);
      throw bad(`${shown} is no name for a client: use letters, digits, ".", "_" and "-".`);
    }
    if ((await this.#all()).some(({ client: { name } }) => name === client.name)) {
      throw bad(`There is a client ${client.name}. Give it a new token with: token rotate`);
    }
    return this.#write(client);
  }

  /** A new token in place of the one it has, which is none from then on. Throws `invalid_input` without such a client. */
  async rotate(name: string): Promise<string> {
    const before = await this.#named(name);
    const [first] = before;
    if (first === undefined) throw unknown(name);
    const token = await this.#write(first.client);
    for (const { file } of before) await rm(join(this.folder, file), { force: true });
    return token;
  }

  /** Its token is none from now on. Throws `invalid_input` without such a client. */
  async revoke(name: string): Promise<void> {
    const found = await this.#named(name);
    if (found.length === 0) throw unknown(name);
    for (const { file } of found) await rm(join(this.folder, file), { force: true });
  }

  async #named(name: string) {
    return (await this.#all()).filter(({ client }) => client.name === name);
  }

  async #all(): Promise<{ file: string; client: KeptClient }[]> {
    const files = await readdir(this.folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const found = [];
    for (const file of files.filter((one) => /^[0-9a-f]{64}\.json$/.test(one))) {
      const client = await this.#read(file);
      if (client) found.push({ file, client });
    }
    return found;
  }

  /** Undefined for what is no client's file. Throws `unsafe_path` where others could have written it. */
  async #read(file: string): Promise<KeptClient | undefined> {
    await requireOwnFolder(this.folder);
    const text = await readFile(join(this.folder, file), "utf8").catch((error: unknown) => {
      if (isMissing(error)) return "";
      throw error;
    });
    return Kept.safeParse(tryParseJson(text)).data;
  }

  /** Whole or not at all. */
  async #write({ name, role, projects }: NewClient): Promise<string> {
    const token = randomBytes(32).toString("base64url");
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await requireOwnFolder(this.folder);
    const draft = join(this.folder, `${randomBytes(8).toString("hex")}.draft`);
    const file = await open(draft, "wx", 0o600);
    try {
      const kept: KeptClient = { name, role, projects, made_at: new Date().toISOString() };
      await file.writeFile(`${JSON.stringify(kept)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(this.folder, `${digest(token)}.json`));
    return token;
  }
}

/** A token has 256 bits of chance: nobody finds it from this, however quick it is to compute. */
function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function bad(sentence: string): LoopError {
  return new LoopError("invalid_input", sentence);
}

function unknown(name: string): LoopError {
  return bad(`There is no client ${JSON.stringify(name)}. See: ccw-loop token list`);
}
