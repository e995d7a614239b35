import { expect } from "vitest";
import { HANDSHAKE, raw, statuses, TOKEN, ticketOf, wire } from "../node/served.ts";
import type { Row } from "./row.ts";

const LOOP = { title: "secret plan", description: "x", id: "a" };
const JSON_TYPE = { "content-type": "application/json" };
const create = { method: "POST", headers: JSON_TYPE, body: JSON.stringify(LOOP) };

/** The cookie of a browser that opened the login link. */
async function loggedIn(url: string, login: string): Promise<string> {
  const headers = { authorization: `Login ${login}`, origin: url };
  const answer = await fetch(`${url}/api/session`, { method: "POST", headers });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Who has no token, or comes by way of somebody else's browser. */
export const STRANGERS: readonly Row[] = [
  {
    attack: "no token, wrong, empty, very long, in the query, in another scheme",
    here: [
      {
        name: "the same 401, nothing about the loop",
        async run({ port, ask }) {
          await ask("/api/loops/v2", create);
          const sent: [string, string][] = [
            ["", "/api/loops/v2/a"],
            ["Bearer ", "/api/loops/v2/a"],
            ["Bearer wrong", "/api/loops/v2/a"],
            [`Bearer ${"x".repeat(10_000)}`, "/api/loops/v2/a"],
            [`Basic ${btoa(TOKEN)}`, "/api/loops/v2/a"],
            ["", `/api/loops/v2/a?token=${TOKEN}`],
            [`Bearer ${TOKEN}`, `/api/loops/v2/a?access_token=${TOKEN}`],
            ["", "/api/loops/v2/none"],
          ];
          const bodies = new Set<string>();
          for (const [authorization, path] of sent) {
            const answer = await raw(
              port,
              wire(`GET ${path}`, { authorization, connection: "close" }),
            );
            expect(statuses(answer), path).toEqual([401]);
            expect(answer).toMatch(/^www-authenticate: Bearer\r$/im);
            expect(answer).not.toContain("secret plan");
            bodies.add(answer.slice(answer.indexOf("\r\n\r\n")));
          }
          expect(bodies.size).toBe(1);
        },
      },
    ],
    elsewhere: [
      {
        file: "api/test/guard/access.test.ts",
        test: "instead of the token: the same 401",
      },
    ],
  },
  {
    attack: "Host of another name on loopback (DNS rebinding)",
    here: ["/api/health", "/api/loops/v2", "/api/events", "/ws"].map((path) => ({
      name: `403 before any handler: ${path}`,
      async run({ port }) {
        const upgrade = path === "/ws" ? HANDSHAKE : { connection: "close" };
        for (const host of ["evil.example", "evil.example:3456", "127.0.0.1.evil.example", ""]) {
          const answer = await raw(port, wire(`GET ${path}`, { host, ...upgrade }));
          expect(statuses(answer), host).toEqual([403]);
          expect(answer).toContain('"success":false');
        }
        const two = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n`;
        const none = `GET ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`;
        const whole = wire(`GET http://evil.example${path}`, { connection: "close" });
        for (const text of [two, none, whole]) {
          expect([400, 403]).toContain(statuses(await raw(port, text))[0]);
        }
      },
    })),
  },
  {
    attack: "cross-origin simple request (a form, text that is JSON), Origin: null",
    here: [
      {
        name: "403 for the origin, 415 for the type, and no loop",
        async run({ ask }) {
          const body = JSON.stringify(LOOP);
          for (const origin of ["https://evil.example", "null", "http://localhost:1"]) {
            const answer = await ask("/api/loops/v2", {
              ...create,
              headers: { ...JSON_TYPE, origin },
            });
            expect(answer.status).toBe(403);
            expect(answer.headers.get("access-control-allow-origin")).toBeNull();
          }
          for (const type of [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
          ]) {
            const headers = { "content-type": type };
            expect((await ask("/api/loops/v2", { method: "POST", headers, body })).status).toBe(
              415,
            );
          }
          expect((await ask("/api/loops/v2/a")).status).toBe(404);
        },
      },
    ],
  },
  {
    attack:
      "a page of another origin, or of another port of this machine, uses the cookie of a login",
    here: [
      {
        name: "nothing is read and no loop is made",
        async run({ url, ask, server }) {
          const cookie = await loggedIn(url, await server.login());
          const own = { origin: url, "x-ccw-loop": "page", "sec-fetch-site": "same-origin" };
          const strangers = [
            { ...own, origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
            { ...own, "sec-fetch-site": "cross-site" },
            { ...own, "sec-fetch-site": "same-site" },
            { ...own, origin: "null" },
          ];
          for (const headers of strangers) {
            const sent = { ...JSON_TYPE, ...headers, cookie };
            const read = await fetch(`${url}/api/loops/v2`, { headers: sent });
            expect([401, 403], JSON.stringify(headers)).toContain(read.status);
            const made = await fetch(`${url}/api/loops/v2`, { ...create, headers: sent });
            expect([401, 403], JSON.stringify(headers)).toContain(made.status);
          }
          // What a form or an image can send has no header of ours.
          for (const without of ["origin", "x-ccw-loop"] as const) {
            const { [without]: _, ...rest } = own;
            const headers = { ...JSON_TYPE, ...rest, cookie };
            const made = await fetch(`${url}/api/loops/v2`, { ...create, headers });
            expect(made.status, without).toBe(401);
          }
          expect((await ask("/api/loops/v2/a")).status).toBe(404);
          const headers = { ...JSON_TYPE, ...own, cookie };
          expect((await fetch(`${url}/api/loops/v2`, { ...create, headers })).status).toBe(201);
        },
      },
    ],
    elsewhere: [
      { file: "api/test/guard/sessions.test.ts", test: "a login code is spent by its first use" },
      { file: "api/test/guard/sessions.test.ts", test: "who was logged out has nothing any more" },
      { file: "api/test/node/page.test.ts", test: "runs nothing inline, and is in no frame" },
    ],
  },
  {
    attack: "CORS preflight from any origin",
    here: [
      {
        name: "no allow header",
        async run({ port }) {
          const origin = "https://evil.example";
          const asked = { "access-control-request-method": "POST", connection: "close" };
          for (const path of ["/api/loops/v2", "/api/health", "/ws"]) {
            const headers = { origin, authorization: "", ...asked };
            const answer = await raw(port, wire(`OPTIONS ${path}`, headers));
            expect(statuses(answer)).toEqual([403]);
            expect(answer).not.toMatch(/access-control/i);
          }
        },
      },
    ],
  },
  {
    attack: "token in URL, in logs, in Referer, in error text, in process arguments",
    here: [
      {
        name: "no answer and no log line has the token, a ticket, a query or a body",
        async run(door) {
          const ticket = await ticketOf(door);
          const stream = await fetch(`${door.url}/api/events?ticket=${ticket}`);
          expect(stream.status).toBe(200);
          await stream.body?.cancel();
          const answers = [
            await door.ask("/api/loops/v2", create),
            await door.ask(`/api/loops/v2?token=${TOKEN}`),
            await fetch(`${door.url}/api/loops/v2?ticket=${ticket}`),
            await door.ask("/api/loops/v2", {
              method: "POST",
              headers: JSON_TYPE,
              body: `"${TOKEN}`,
            }),
            await door.ask("/nowhere"),
          ];
          let seen = "";
          for (const answer of answers) {
            expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
            seen += JSON.stringify([...answer.headers]) + (await answer.text());
          }
          expect(seen).not.toContain(TOKEN);
          expect(door.log()).toContain('"path":"/api/events"');
          for (const secret of [TOKEN, ticket, "secret plan", "ticket=", "token="]) {
            expect(door.log()).not.toContain(secret);
          }
        },
      },
      {
        name: "a ticket stands in for it, once",
        async run(door) {
          const url = `${door.url}/api/events?ticket=${await ticketOf(door)}`;
          const first = await fetch(url);
          expect([first.status, (await fetch(url)).status]).toEqual([200, 401]);
          await first.body?.cancel();
        },
      },
    ],
    elsewhere: [{ file: "cli/test/serve.test.ts", test: "never the token" }],
  },
  {
    attack: "bind to a public address",
    elsewhere: [
      { file: "api/test/node/listen.test.ts", test: "the refusal names TLS" },
      { file: "cli/test/serve.test.ts", test: "--public" },
    ],
  },
  {
    attack: "an unauthenticated local server that runs commands",
    here: [
      {
        name: "every changing door asks for the token, on loopback too",
        async run({ port }) {
          const doors = [
            ...["", "/a/start", "/a/commands", "/a/input", "/a/steer", "/a/verify", "/a/tasks"],
            ...["/a/rewind", "/a/fork", "/a/generate"],
          ].map((path) => `/api/loops/v2${path}`);
          const given = ["/api/tickets", "/api/logins", "/api/session"];
          for (const path of [...doors, ...given, "/api/worktrees/clean"]) {
            const headers = { authorization: "", "content-length": "0", connection: "close" };
            expect(statuses(await raw(port, wire(`POST ${path}`, headers))), path).toEqual([401]);
          }
        },
      },
    ],
    elsewhere: [
      { file: "api/test/node/listen.test.ts", test: "a Unix socket is its owner's alone" },
    ],
  },
];
