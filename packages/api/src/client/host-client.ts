import type { z } from "zod";
import { HOST } from "../contract/host.ts";
import { SESSIONS } from "../contract/sessions.ts";
import { type Filling, HttpTransport, type JsonOperation } from "./http-transport.ts";
import type { LoopClientOptions } from "./options.ts";

/** How a browser logs in: with a one-time code, or with the token itself. */
export type Login = { code: string } | { token: string };

/** What a server says of itself, and logins of browsers. Throws as `loopClient` does. */
export function hostClient(options: LoopClientOptions) {
  const exchange = new HttpTransport(options);
  async function data<D>(
    operation: JsonOperation<z.ZodType<{ data: D }>>,
    filling: Filling = {},
  ): Promise<D> {
    return (await exchange.json(operation, filling)).data;
  }
  return {
    ready: () => data(HOST.ready),
    projects: () => data(HOST.listProjects),
    project: () => data(HOST.projectInfo),
    doctor: () => data(HOST.doctor),
    session: () => data(SESSIONS.getSession),
    logIn(login: Login) {
      const authorization = "code" in login ? `Login ${login.code}` : `Bearer ${login.token}`;
      return data(SESSIONS.createSession, { headers: { authorization } });
    },
    async logOut() {
      await exchange.json(SESSIONS.deleteSession, {});
    },
    /** A code for one more browser. */
    login: ({ readOnly = false } = {}) =>
      data(SESSIONS.createLogin, { query: { read_only: readOnly ? "true" : undefined } }),
  };
}
