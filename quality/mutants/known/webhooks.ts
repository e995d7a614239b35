import type { Mutant } from "../mutant.ts";

const sending = "packages/webhooks/test/webhooks.test.ts";
const bodies = "packages/webhooks/test/formats.test.ts";

/** Messages to people about loops. */
export const mutants: Mutant[] = [
  {
    name: "A redirect is followed, with signature and headers.",
    file: "packages/webhooks/src/delivery.ts",
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    test: { file: sending, title: "by a redirect is not followed" },
  },
  {
    name: "A receiver is asked again before it wants to be.",
    file: "packages/webhooks/src/queue.ts",
    find: "Math.max(spread, retryAfterMs ?? 0)",
    replace: "spread",
    test: { file: sending, title: "is asked again with the same id and a new timestamp" },
  },
  {
    name: "A question that was answered is told all the same.",
    file: "packages/webhooks/src/queue.ts",
    find: 'if (stateOf(state) !== standing.state) return "settled";',
    replace: "",
    test: { file: sending, title: "is no news when a person stopped it" },
  },
  {
    name: "What a killed process owed is forgotten.",
    file: "packages/webhooks/src/webhooks.ts",
    find: "    if (last) stands(last);\n",
    replace: "",
    test: {
      file: "packages/cli/test/webhooks.test.ts",
      title: "a message of a process that was killed is sent by the next one",
    },
  },
  {
    name: "Text of an agent mentions people on Slack.",
    file: "packages/webhooks/src/formats.ts",
    find: 'return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");',
    replace: "return text;",
    test: { file: bodies, title: "is Slack's, in which no text mentions anybody" },
  },
];
