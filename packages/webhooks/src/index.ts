export type { Delivery } from "./delivery.ts";
export { MESSAGE_STATES, type Message, type MessageState } from "./message.ts";
export { sendSample } from "./sample.ts";
export { openWebhook, type Webhook, WebhookSettings } from "./settings.ts";
export { type Webhooks, type WebhooksOptions, webhooks } from "./webhooks.ts";
