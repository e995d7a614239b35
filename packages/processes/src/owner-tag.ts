import type { ProcessScope } from "@ccw-loop/core";
import { type ProcessIdentity, thisProcess } from "./identity.ts";

/** The variable that every process of ours inherits; its value names who answers for it, and for whom it works. */
export const TAG_VARIABLE = "CCW_LOOP_FAMILY";

export interface OwnerTag {
  owner: ProcessIdentity;
  /** Which registry knows of it: loops of different projects can have one name. Empty for none. */
  registryId: string;
  scope: ProcessScope | null;
}

/** What all tags of one owner begin with. */
export function ownerKey({ namespace, boot, pid, started }: ProcessIdentity): string {
  return `${/\d+/.exec(namespace)?.[0] ?? ""}.${boot}.${pid}.${started ?? ""}:`;
}

/** What all tags of one lease begin with. */
export function leaseKey(owner: ProcessIdentity, registryId: string, scope: ProcessScope): string {
  return `${ownerKey(owner)}${registryId}:${scope.loop}:${scope.epoch}:`;
}

const TAG = /^(\d*)\.([\w-]*)\.(\d+)\.(\d*):(\w*):([\w.-]*):(\d*):[\w-]+$/;

/** Null for anything else. */
export function parseTag(text: string): OwnerTag | null {
  const [, namespace, boot = "", pid, started, registryId = "", loop = "", epoch] =
    TAG.exec(text) ?? [];
  if (pid === undefined) return null;
  return {
    owner: {
      pid: Number(pid),
      started: started || null,
      boot,
      namespace: namespace ? `pid:[${namespace}]` : "",
    },
    registryId,
    scope: loop ? { loop, epoch: Number(epoch) } : null,
  };
}

/**
 * `{namespace}.{boot}.{pid}.{started}:{registryId}:{loop}:{epoch}:{unique}`: safe in an environment, in TOML and for `grep`.
 */
export function newTag(registryId: string, scope: ProcessScope | null): string {
  const owner = thisProcess();
  const begin = scope ? leaseKey(owner, registryId, scope) : `${ownerKey(owner)}${registryId}:::`;
  return `${begin}${crypto.randomUUID()}`;
}

/**
 * The variable's value for a child: a ccw-loop that itself works for another one hands on both tags, so that either
 * of them finds what it started.
 */
export function inheritedTag(tag: string, env: NodeJS.ProcessEnv = process.env): string {
  const outer = env[TAG_VARIABLE];
  return outer ? `${outer},${tag}` : tag;
}

/** The tags in a process's environment, as /proc shows it. */
export function tagsIn(environ: string): string[] {
  const name = `\0${TAG_VARIABLE}=`;
  const at = `\0${environ}`.indexOf(name);
  if (at < 0) return [];
  const value = environ.slice(at + name.length - 1);
  return value.slice(0, `${value}\0`.indexOf("\0")).split(",");
}
