/**
 * The median in US dollars, blurred so that it is nobody's own figure: the mean of the two or three in the middle,
 * rounded to two significant digits. `nusd` are safe integers of nano-USD; at least one.
 */
export function median(nusd: readonly number[]): number {
  const sorted = [...nusd].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const central = sorted.slice(
    Math.ceil(middle) - 1 - (sorted.length % 2),
    Math.floor(middle) + 1 + (sorted.length % 2),
  );
  const mean = central.reduce((sum, value) => sum + value, 0) / central.length;
  return Number((mean / 1e9).toPrecision(2));
}
