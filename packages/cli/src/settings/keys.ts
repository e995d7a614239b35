import { SettingValues } from "@ccw-loop/view";
import type { z } from "zod";

/** What it means that a setting has no value. */
export const UNSET: Partial<Record<keyof SettingValues, string>> = {
  model: "found out",
  verify: "found out",
  min_coverage: "none",
};

export const SettingKey = SettingValues.keyof();
export type SettingKey = z.infer<typeof SettingKey>;
export const SETTING_KEYS = SettingKey.options;
