import { z } from "zod";

/** How long a timestamp with milliseconds in UTC is: the form that `toISOString` writes. */
const CANONICAL = "2026-01-31T12:00:00.000Z".length;

/** RFC 3339 date and time with any offset; parsed values are UTC with `Z` (DESIGN §4). */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .overwrite((text) => {
    if (text.length === CANONICAL && text.endsWith("Z")) return text;
    const date = new Date(text);
    // Text that failed the check above comes here too; it is reported, not thrown.
    return Number.isNaN(date.getTime()) ? text : date.toISOString();
  })
  .meta({ id: "Timestamp", description: "RFC 3339 date and time; written in UTC with Z." });
