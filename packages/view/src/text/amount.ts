/** A whole number from 1 on; undefined for anything else. */
export function parseCount(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** An amount in US dollars above nothing, such as `2.50`; undefined for anything else. */
export function parseDollars(text: string): number | undefined {
  const amount = /^\d{1,7}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  return amount === 0 ? undefined : amount;
}

export const COUNT_FORM = "a whole number from 1 on";
export const DOLLARS_FORM = "an amount in US dollars, such as 2.50";
