import type { Activity as OneActivity } from "@ccw-loop/core";
import type { z } from "zod";
import { Activity } from "../contract/activity.ts";

/** What the interface lacks, zod infers as undefined; JSON has no undefined, so both mean the same values. */
export const LoggedActivity = Activity as z.ZodType as z.ZodType<OneActivity>;
