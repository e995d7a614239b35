import { z } from "zod";

/** RFC 3339 date and time with any offset; parsed values are UTC with `Z` (DESIGN §4). */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .overwrite((text) => new Date(text).toISOString())
  .meta({ id: "Timestamp", description: "RFC 3339 date and time; written in UTC with Z." });
