import type { FollowedLoop } from "@ccw-loop/view";
import type { ComponentType } from "react";
import type { Line, Size } from "../../../components/line.ts";
import type { Model } from "../../../model/model.ts";

/** A loop whose past is read. */
export type LoadedLoop = FollowedLoop & { progress: NonNullable<FollowedLoop["progress"]> };

export function loadedLoop({ opened }: Pick<Model, "opened">): LoadedLoop | undefined {
  return opened?.progress ? { ...opened, progress: opened.progress } : undefined;
}

export interface PaneRoom {
  columns: number;
  /** It has the screen for itself, and tells everything. */
  whole: boolean;
  /** Epoch ms. */
  now: number;
}

/** One pane of a loop beside the agent's: a text that scrolls, or a component of its own over it. */
export interface Pane {
  title: string;
  /** What it shows, and how many rows it wants. Only from what it is given: it is asked again when that changes. */
  lines: (loop: LoadedLoop, room: PaneRoom) => Line[];
  /** Said in its edge. */
  note?: (loop: LoadedLoop) => string;
  /** Shows it instead of the lines, in that room. */
  View?: ComponentType<{ loop: LoadedLoop; size: Size }>;
  /** The same without glyphs, for a screen reader. */
  plain: (loop: LoadedLoop, now: number) => Line[];
}
