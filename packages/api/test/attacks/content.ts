import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { raw, statuses, wire } from "../node/served.ts";
import type { Row } from "./row.ts";

const JSON_TYPE = { "content-type": "application/json" };
const create = (fields: object) => ({
  method: "POST",
  headers: JSON_TYPE,
  body: JSON.stringify({ title: "t", ...fields }),
});

const IDS = [
  ...["..", ".", "%2e%2e%2f", "..%2f..%2fetc", "%252e%252e%252f", "a%00b", "%5c..%5c", "%2fetc"],
  ...["CON", "nul.json", "a.", ".hidden", "a..b", "x".repeat(10_000), "%ef%bc%8e%ef%bc%8e", "%ff"],
];

/** Names, texts and repetitions that a holder of the token passes on without knowing what is in them. */
export const CONTENT: readonly Row[] = [
  {
    attack:
      "ids that lead elsewhere: .., %2e, %252e, NUL, backslash, absolute, devices, 10 KB, look-alikes",
    here: [
      {
        name: "400 or 404, and no file is touched",
        async run({ port, ask, cwd }) {
          await ask("/api/loops/v2", create({ id: "a" }));
          const before = files(cwd);
          expect(before).toContain(join(".workflow", ".loop", "a.json"));
          for (const id of IDS) {
            for (const line of [
              `GET /api/loops/v2/${id}`,
              `DELETE /api/loops/v2/${id}`,
              `GET /api/loops/v2/a/progress/${id}`,
              `POST /api/loops/v2/${id}/start`,
            ]) {
              const headers = { connection: "close", "content-length": "0" };
              const [status] = statuses(await raw(port, wire(line, headers)));
              expect([400, 404, 405], line.slice(0, 60)).toContain(status);
            }
            const made = await ask("/api/loops/v2", create({ id: decoded(id) }));
            expect(made.status, id.slice(0, 60)).toBe(400);
          }
          expect(files(cwd)).toEqual(before);
        },
      },
    ],
    elsewhere: [{ file: "api/test/routes-requests.test.ts", test: "is refused before any file" }],
  },
  {
    attack: "regular expression bombs in filters",
    here: [
      {
        name: "a filter is text, and takes linear time",
        async run({ ask }) {
          await ask("/api/loops/v2", create({ id: "a", title: "a".repeat(100) }));
          const from = performance.now();
          for (const text of ["(a+)+$", "(a|a)*b", "a".repeat(5000), ".*.*.*.*=.*", "[", "\\"]) {
            const answer = await ask(`/api/loops/v2?text=${encodeURIComponent(text)}`);
            expect([200, 400]).toContain(answer.status);
          }
          expect(performance.now() - from).toBeLessThan(3000);
        },
      },
    ],
    elsewhere: [{ file: "core/test/result-linear.test.ts", test: "linear" }],
  },
  {
    attack: "agent text with control sequences, markup, line breaks",
    here: [
      {
        name: "in no header, as JSON that nobody takes for a page, and inert in the log",
        async run({ ask, url, log }) {
          const title = "\u001b]52;c;eA==\u0007<script>alert(1)</script>\r\nSet-Cookie: a=b\u202e";
          const made = await ask("/api/loops/v2", create({ id: "a", title }));
          const again = await ask("/api/loops/v2/a");
          for (const answer of [made, again]) {
            expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
            expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
            expect(JSON.stringify([...answer.headers])).not.toMatch(/script|cookie/i);
          }
          expect(((await again.json()) as { data: { title: string } }).data.title).toBe(title);
          for (const page of ["/", "/api/docs"]) {
            expect(await (await fetch(url + page)).text()).not.toContain("alert(1)");
          }
          await ask("/api/loops/v2/%1b%5d0;evil%07%e2%80%ae");
          // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
          expect(log()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        },
      },
    ],
    elsewhere: [
      { file: "view/test/text.test.ts", test: "leaves nothing that a terminal obeys" },
      { file: "core/test/progress-roundtrip.test.ts", test: "agent text is inert" },
    ],
  },
  {
    attack: "replayed POST (retry of a proxy)",
    elsewhere: [
      { file: "api/test/routes-retries.test.ts", test: "creates once, and answers as the first" },
      { file: "api/test/routes-retries.test.ts", test: "is refused with another body" },
    ],
  },
  {
    attack: "state, token, socket file modes",
    elsewhere: [
      { file: "api/test/node/token-file.test.ts", test: "a token that only its owner may read" },
      { file: "api/test/node/listen.test.ts", test: "a Unix socket is its owner's alone" },
      { file: "store-fs/test/safety.test.ts", test: "nobody else can read or enter anything" },
    ],
  },
];

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "\ufffd";
  }
}
