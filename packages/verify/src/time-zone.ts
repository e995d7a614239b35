/**
 * A program of ours that has the time zone of the tests as if it were its machine's: no variable says so to the sources, for
 * tests may have that variable and users have not. Each function takes what `TZ` held for the tests, or nothing.
 */
export const JAVASCRIPT_ZONE = `/** The time zone of the machine from now on. */
function beInZone(zone) {
  const { env } = process;
  const own = { ...env };
  if (zone === null || own.TZ === zone) return;
  env.TZ = zone;
  process.env = own;
}
`;

export const PYTHON_ZONE = `def be_in_zone(zone):
    """The time zone of the machine from now on."""
    import os, time
    own = os.environ.get("TZ")
    if zone is None or own == zone:
        return
    os.environ["TZ"] = zone
    time.tzset()
    # What Python shows of the environment; the library of C goes on with the other one.
    shown, key = os.environ._data, os.environ.encodekey("TZ")
    del shown[key]
    if own is not None:
        shown[key] = os.environ.encodevalue(own)
`;

/** The statements that put a program into a zone, by what its file ends with. */
export const IN_ZONE = {
  mjs: (zone: string) => `${JAVASCRIPT_ZONE}beInZone(${JSON.stringify(zone)});\n`,
  py: (zone: string) => `${PYTHON_ZONE}\nbe_in_zone(${JSON.stringify(zone)})\ndel be_in_zone\n`,
};
