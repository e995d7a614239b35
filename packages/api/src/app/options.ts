import { LoopError, type StoreFigures } from "@ccw-loop/core";
import type { Context } from "hono";
import { basePath } from "hono/route";
import type { Finding, ProjectInfo } from "../contract/host.ts";
import type { TokenAccess } from "../guard/clients.ts";
import type { Metrics } from "./metrics.ts";
import type { PageFiles } from "./page.ts";
import type { RequestRecord } from "./request-record.ts";

/**
 * Who may ask: everybody who sends the bearer token or is logged in by it, or (`guarded`) everybody, because the host
 * application looked already. Apps of one server share their `sessions`.
 */
export type Access = TokenAccess | "guarded";

export interface AppOptions {
  access: Access;
  /** `name` or `name:port` under which the app is reached, beside the loopback names. */
  hosts?: readonly string[];
  /** Origins of pages that may call it, as browsers send them. None by default: then no CORS header is ever sent. */
  origins?: readonly string[];
  /** Of the program that hosts it, for `/api/health`. */
  version?: string;
  /** Its own name among the projects of the server, for tokens of clients; set by `serve`. */
  project?: string;
  /** The projects of the server that it is one of, for `/api/projects`; set by `serve`. */
  projects?: readonly { name: string; path: string; first: boolean }[];
  /** Whether somebody in this process drives running loops: in the answer of `/api/ready`, and needed by clients that `run`. */
  drives?: () => boolean;
  /** What a new loop can have here, for `/api/project`; set by `serve`. */
  about?: () => Promise<ProjectInfo>;
  /** What is found of all that a loop needs here, for `/api/doctor`; set by `serve`. */
  doctor?: () => Promise<readonly Finding[]>;
  /** What the store knows of all its loops, for `/metrics`; set by `serve`. */
  figures?: () => Promise<StoreFigures>;
  /** Where this app counts, for a host that reads what `/metrics` prints; one of its own by default. */
  metrics?: Metrics;
  /** The dashboard's files; without them `/` is the page about the API. */
  page?: PageFiles;
  /** Whether clients may add and change tasks that are commands (`bash`). Not by default: they are refused with 403. */
  allowBashTasks?: boolean;
  /**
   * Requests per client address, 100 a second and 1000 at once by default; more are answered 429. Clients on this
   * machine are not counted. `false` behind a proxy on another machine, whose clients would all count as one.
   */
  rate?: { perSecond: number; burst: number } | false;
  /**
   * Cuts out of the texts of failures what no answer may tell, such as where on this machine a project lies. `serve` does
   * so for the folders of its projects and of its user.
   */
  redact?: (text: string) => string;
  /** Ends the live streams and the readiness, so that a server can shut down. */
  signal?: AbortSignal;
  onRequest?: (record: RequestRecord) => void;
}

/** What `serve` passes beside the request. */
export interface ServedEnv {
  /** Where the app lies, when that was taken off the path before: `/projects/NAME`. */
  base?: string;
}

/** The path below which this request finds the app, without a slash at its end: empty where it is not mounted. */
export function baseOf(c: Context): string {
  const { base = "" }: ServedEnv = c.env ?? {};
  return base + mountOf(c);
}

/** The path within the app, wherever that is mounted. */
export function pathWithin(c: Context): string {
  return c.req.path.slice(mountOf(c).length) || "/";
}

/** The path below which another app has mounted this one. */
export function mountOf(c: Context): string {
  return basePath(c).replace(/\/$/, "");
}

/** What an operator chose and cannot be meant, or cannot be used here. */
export function badOption(sentence: string, cause?: unknown): LoopError {
  return new LoopError("invalid_input", sentence, { cause });
}
