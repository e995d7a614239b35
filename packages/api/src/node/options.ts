import type { LoopService } from "@ccw-loop/core";
import type { Metric } from "../app/metrics.ts";
import type { AppOptions } from "../app/options.ts";
import type { Log } from "./log.ts";

/** One project's loops; they stay apart from those of the others. */
export interface ServedProject {
  /** In paths: letters, digits, `.`, `_`, `-`. */
  name: string;
  service: LoopService;
  /** Its folder on this machine, which no answer to a failure names. */
  root?: string;
  drives?: () => boolean;
  about?: AppOptions["about"];
  doctor?: AppOptions["doctor"];
  figures?: AppOptions["figures"];
}

export const LIMITS = {
  /** Milliseconds in which a client has to send its headers, and its whole request. Streams of answers may last. */
  headersMs: 10_000,
  requestMs: 30_000,
  /** Milliseconds that a connection without a request is kept. */
  idleMs: 5_000,
  /** Milliseconds that requests get to end at a shutdown. */
  shutdownMs: 10_000,
  connections: 2_048,
  /** Bytes of a request's headers together. */
  headerBytes: 16_384,
  webSockets: 100,
};

export type Limits = typeof LIMITS;

export interface ServeOptions
  extends Pick<
    AppOptions,
    "hosts" | "origins" | "version" | "rate" | "allowBashTasks" | "onRequest"
  > {
  /** The first is served at `/` too, each at `/projects/NAME`. */
  projects: readonly ServedProject[];
  /** `127.0.0.1:3456` by default. A port of 0 is any free one; a socket is a file that only its owner may use. */
  listen?: { host?: string; port?: number } | { socket: string };
  /** The token itself, or the file it is kept in: the user's own by default, made when there is none. */
  token?: string;
  tokenFile?: string;
  /** The folder with the built dashboard (`@ccw-loop/web`), with a slash at its end. */
  page?: URL;
  /** Listen where other machines reach it, without TLS. */
  publicly?: boolean;
  /** PEM texts. */
  tls?: { cert: string; key: string };
  limits?: Partial<Limits>;
  log?: Log;
  /** Aborting shuts down in good order. */
  signal?: AbortSignal;
}

export interface Server {
  /** Without a path at its end; of a Unix socket `http://localhost`. */
  readonly url: string;
  /** Undefined when the token was given. */
  readonly tokenFile: string | undefined;
  /** A single-use ticket of the first project, good for half a minute. */
  ticket(): Promise<string>;
  /** A single-use code that logs a browser in: `/#login=CODE`. */
  login(): Promise<string>;
  /** What `/metrics` of each project prints. */
  metrics(): Promise<{ project: string; metrics: Metric[] }[]>;
  /** Takes no more connections, ends the streams, lets requests end within `limits.shutdownMs`. */
  close(): Promise<void>;
  /** Resolves when it is closed, by whatever. */
  readonly closed: Promise<void>;
}
