const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** An amount of storage in decimal units: `812 B`, `1.2 kB`, `34 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[unit]}`;
}
