/** Steps a second, of `loop` run again and again in as many lanes as there are loops, after half a second to warm up. */
export async function rateOf({ loops, ms }, loop) {
  const count = { steps: 0, end: 0 };
  const run = async (duration) => {
    const began = performance.now();
    Object.assign(count, { steps: 0, end: began + duration });
    const lane = async () => {
      while (performance.now() < count.end) await loop(count);
    };
    await Promise.all(Array.from({ length: Number(loops) }, lane));
    return (count.steps / (performance.now() - began)) * 1000;
  };
  await run(500);
  return run(Number(ms));
}
