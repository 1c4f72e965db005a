/** One text for several values; no two lists of equal length share one. */
export function idOf(values: readonly (string | number)[]): string {
  const [first = '', ...others] = values;
  return others.reduce<string>((id, value) => `${id.length}:${id}${value}`, String(first));
}
