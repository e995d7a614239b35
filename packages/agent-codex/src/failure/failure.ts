/**
 * What can go wrong with Codex, by how one reacts to it:
 * `rate_limit` too many requests · `rate_limit_wait` Codex waits for that too long · `usage_limit` the
 * account's quota is used up · `auth` not logged in · `config` settings, model or schema refused ·
 * `context` the conversation is too long · `server`, `network` the model's side · `incomplete` the model
 * stopped half way · `refused` a policy of the model's side · `sandbox` commands cannot be confined ·
 * `crash` the process ended or answers no more · `silence`, `command`, `deadline` one of our limits ·
 * `input` the prompt cannot be sent · `no_session` no such conversation · `archived`, `busy` it cannot be
 * opened now · `other`.
 */
export type FailureKind =
  | "rate_limit"
  | "rate_limit_wait"
  | "usage_limit"
  | "auth"
  | "config"
  | "context"
  | "server"
  | "network"
  | "incomplete"
  | "refused"
  | "sandbox"
  | "crash"
  | "silence"
  | "command"
  | "deadline"
  | "input"
  | "no_session"
  | "archived"
  | "busy"
  | "other";

export interface Failure {
  kind: FailureKind;
  /** In Codex's words where it has any; no full stop at the end. */
  message: string;
}
