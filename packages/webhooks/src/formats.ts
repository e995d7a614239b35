import { clip } from "@ccw-loop/core";
import type { Message, MessageState } from "./message.ts";
import { topicOf, type Webhook } from "./settings.ts";

export interface Post {
  url: URL;
  body: string;
}

export function postOf({ url, format, chat }: Webhook, message: Message): Post {
  const json = (body: object, to = url) => ({ url: to, body: JSON.stringify(body) });
  switch (format) {
    case "json":
      return json(message);
    case "slack":
      return json({ text: escaped(textOf(message, 3000)) });
    case "discord":
      // No text of an agent calls everybody.
      return json({ content: textOf(message, 1900), allowed_mentions: { parse: [] } });
    case "telegram":
      return json({
        chat_id: chat,
        text: textOf(message, 4000),
        link_preview_options: { is_disabled: true },
      });
    case "ntfy":
      return json(
        {
          topic: topicOf(url),
          title: titleOf(message),
          message: textOf(message, 3500, false),
          tags: [TAGS[message.data.state]],
          priority: message.data.state === "needs you" ? 4 : 3,
        },
        new URL("/", url),
      );
  }
}

/** Names of emoji, as ntfy has them. */
const TAGS: Readonly<Record<MessageState, string>> = {
  "needs you": "raising_hand",
  limit: "hourglass",
  proven: "white_check_mark",
  accepted: "ballot_box_with_check",
  failed: "x",
};

const WORDS: Readonly<Record<MessageState, string>> = {
  "needs you": "Needs you",
  limit: "At a limit",
  proven: "Proven",
  accepted: "Completed by your word",
  failed: "Failed",
};

function titleOf({ data: { state, sample, loop, project } }: Message): string {
  const title = clip(loop.title, 200);
  return `${sample ? "A sample. " : ""}${WORDS[state]}: ${title} (${project})`;
}

/** The same for people, in at most so many characters. */
function textOf(message: Message, most: number, withTitle = true): string {
  const { data } = message;
  const asked = data.asked?.prompt ?? "";
  const options = data.asked?.options ?? [];
  const lines = [
    ...(withTitle ? [titleOf(message)] : []),
    asked === "" ? data.text : asked,
    ...(options.length > 0 ? [`Answers: ${options.join(", ")}`] : []),
    ...(data.receipt ? [`Tests ${data.receipt.summary}`] : []),
  ];
  const next = data.next.length === 0 ? "" : `\nNext: ${data.next.slice(0, 3).join("\nor: ")}`;
  return `${clip(lines.join("\n"), most - Math.min(next.length, 800))}${clip(next, 800)}`;
}

/** Slack makes mentions and links of what stands in angle brackets. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
