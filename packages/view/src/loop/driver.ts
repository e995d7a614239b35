import type { Driver } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";

/** Who drives a loop: a name, or `nobody since 2026-01-22T10:00:05Z (12m ago)` where somebody should. */
export function driverText({ driven_by, undriven_since }: Driver, now: Date): string {
  if (driven_by !== null) return driven_by;
  return undriven_since === null ? "nobody" : `nobody since ${sinceText(undriven_since, now)}`;
}

/** That nobody drives a loop that is to be driven, since when, and what to type. */
export function undrivenText(id: string, since: string, now: Date): string {
  return `Nobody has driven loop ${id} since ${sinceText(since, now)}. Drive it with: ${driveCommand(id)}`;
}

/** What drives a loop that is running already. */
export function driveCommand(id: string): string {
  return `ccw-loop resume ${id}`;
}

function sinceText(since: string, now: Date): string {
  const age = formatDuration(Math.max(0, now.getTime() - Date.parse(since)));
  return `${since.slice(0, 19)}Z (${age} ago)`;
}
