import { z } from "zod";
import { DoneAnswer, dataAnswer, exact, operations } from "./operation.ts";

const Session = z
  .object({
    role: z.enum(["operator", "reader"]).describe("A reader may change nothing."),
    expires_at: z.string().nullable().describe("Null for who came with a token."),
    client: z.string().nullable().describe("Whose token it is, where it is not the server's own."),
  })
  .meta({ id: "Session" });

/** Logins of browsers. The guard answers them; neither query nor body of others is read. */
export const SESSIONS = operations("Sessions", {
  createSession: {
    method: "post",
    path: "/api/session",
    keyless: true,
    summary:
      "Log a browser in: with the token, or with `Authorization: Login CODE`, which is spent by it",
    description:
      "Sets a cookie that pages of this server alone may use: HttpOnly, SameSite=Strict. With it, whatever changes something needs the header `X-CCW-Loop` and the server's own `Origin`.",
    answer: dataAnswer(Session),
    example: {},
  },
  getSession: {
    method: "get",
    path: "/api/session",
    summary: "Who asks",
    answer: dataAnswer(Session),
    example: {},
  },
  deleteSession: {
    method: "delete",
    path: "/api/session",
    summary: "Log out",
    answer: { json: DoneAnswer },
    example: {},
  },
  createLogin: {
    method: "post",
    path: "/api/logins",
    keyless: true,
    summary: "A code that logs one browser in within 15 minutes: open `/#login=CODE`",
    query: exact({
      read_only: z.stringbool().optional().describe("Whoever uses it may change nothing."),
    }),
    answer: dataAnswer(z.object({ login: z.string(), expires_at: z.string() })),
    example: {},
  },
});
