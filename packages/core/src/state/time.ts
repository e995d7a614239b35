import { z } from "zod";

/** RFC 3339 date and time with any offset; parsed values are UTC with `Z` (DESIGN §4). */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .overwrite((text) => {
    const date = new Date(text);
    // Text that failed the check above comes here too; it is reported, not thrown.
    return Number.isNaN(date.getTime()) ? text : date.toISOString();
  })
  .meta({ id: "Timestamp", description: "RFC 3339 date and time; written in UTC with Z." });
