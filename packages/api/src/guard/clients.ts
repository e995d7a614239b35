import type { Role } from "./one-time-codes.ts";
import type { Sessions } from "./sessions.ts";

/** Who has a token of its own, beside the server's. */
export interface Client {
  name: string;
  role: Role;
  /** Names of the projects that it is for; null for all. */
  projects: readonly string[] | null;
}

/** The server's token, and what else lets somebody in. */
export interface TokenAccess {
  token: string;
  sessions?: Sessions;
  /** Whose token it is, beside the server's own; asked at every request that brings another one. */
  clients?: (token: string) => Promise<Client | undefined>;
}
