const MOST_STEPS = 5;

/** Round values from nothing to at least `most`, in four or five steps or fewer: the ticks of an axis. Pure. */
export function ticksOf(most: number): readonly number[] {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / MOST_STEPS));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size * MOST_STEPS >= most);
  const size = step ?? 10 * power;
  // By division, as ten times 0.1 is not ten steps of 0.1 in floating point.
  const steps = Math.ceil(most / size - 1e-9);
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * size).toPrecision(12)));
}
