import { randomBytes } from "node:crypto";
import { isLoopError, type LoopEvent, LoopState, type LoopStore } from "@ccw-loop/core";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { migrate, type PostgresStoreOptions, postgresStore } from "../src/index.ts";
import { proxyTo } from "./proxy.ts";

export const AT = "2026-01-22T10:00:00.000Z";
export const BY = { actor: "test" };
export const owner = inject("postgres");

export const started: LoopEvent = { type: "loop.started", at: AT };
export const noted = (notes: string): LoopEvent => ({
  type: "loop.edited",
  at: AT,
  changes: { notes },
});

export function newLoop(loop_id: string, more: Record<string, unknown> = {}): LoopState {
  const times = { created_at: AT, updated_at: AT };
  return LoopState.parse({
    loop_id,
    title: `Title of ${loop_id}`,
    status: "created",
    ...times,
    ...more,
  });
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "none",
    (error: unknown) => (isLoopError(error) ? error.code : String(error)),
  );
}

export function newName(): string {
  return `t_${randomBytes(8).toString("hex")}`;
}

/** A schema of its own with tables in it. */
export async function newPlace(): Promise<{ url: string; schema: string }> {
  const place = { url: owner, schema: newName() };
  await migrate(place);
  return place;
}

/** A store that is closed when its test is over. */
export function open(options: PostgresStoreOptions): LoopStore {
  const store = postgresStore(options);
  onTestFinished(() => store.close());
  return store;
}

/** A client of the server's owner, which ends with its test. */
export async function asOwner(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: owner });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** The address with another user, host and so on. */
export function urlWith(
  change: Partial<Pick<URL, "username" | "password" | "port" | "search">>,
): string {
  return Object.assign(new URL(owner), change).href;
}

/** A way to the server that can be cut, for one test. */
export async function proxyToServer() {
  const proxy = await proxyTo(owner);
  onTestFinished(() => proxy.close());
  return { ...proxy, url: urlWith({ port: String(proxy.port) }) };
}
