interface Time {
  readonly startMs: number;
  readonly endMs: number;
}

/** Some of the times that follow each other in a list, by their start. */
interface Range {
  /** Places in the list, in order of start. */
  order: readonly number[];
  /** Their ends in the same order. */
  ends: ReturnType<typeof maxTree>;
  first: number;
  halves: readonly [Range, Range] | null;
}

/**
 * Finds in a list the first time that begins before another one and ends after it, both strictly, among those that were not
 * removed. Neither takes more steps than the square of the logarithm of the list's length. Pure.
 */
export function firstEnclosing(times: readonly Time[]) {
  const whole = rangeOf(times, 0, times.length);
  const startOf = (place: number) => times[place]?.startMs ?? 0;
  /** How many of a range come before a start, and of equal ones before a place. */
  const countBefore = ({ order }: Range, startMs: number, place: number): number => {
    let low = 0;
    for (let high = order.length; low < high; ) {
      const middle = (low + high) >> 1;
      const other = order[middle] ?? 0;
      if (startOf(other) < startMs || (startOf(other) === startMs && other < place)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const holdsOne = (range: Range, { startMs, endMs }: Time): boolean =>
    range.ends.largestOf(countBefore(range, startMs, -1)) > endMs;
  return {
    find: (inner: Time): number | null => {
      if (!holdsOne(whole, inner)) return null;
      let range = whole;
      while (range.halves) range = range.halves[holdsOne(range.halves[0], inner) ? 0 : 1];
      return range.first;
    },
    remove: (place: number): void => {
      for (let range: Range | undefined = whole; range; ) {
        range.ends.set(countBefore(range, startOf(place), place), Number.NEGATIVE_INFINITY);
        range = range.halves?.[place < range.halves[1].first ? 0 : 1];
      }
    },
  };
}

function rangeOf(times: readonly Time[], first: number, end: number): Range {
  const order = times.slice(first, end).map((time, at) => ({ time, place: first + at }));
  order.sort((a, b) => a.time.startMs - b.time.startMs || a.place - b.place);
  const middle = (first + end) >> 1;
  return {
    order: order.map(({ place }) => place),
    ends: maxTree(order.map(({ time }) => time.endMs)),
    first,
    halves: end - first > 1 ? [rangeOf(times, first, middle), rangeOf(times, middle, end)] : null,
  };
}

/** Values that change, and the largest of the first of them: a tree over them, each parent with the larger of its children. */
function maxTree(values: readonly number[]) {
  const { length } = values;
  const tree = new Float64Array(2 * length).fill(Number.NEGATIVE_INFINITY);
  tree.set(values, length);
  const raise = (at: number) => {
    tree[at] = Math.max(tree[2 * at] ?? 0, tree[2 * at + 1] ?? 0);
  };
  for (let at = length - 1; at > 0; at -= 1) raise(at);
  return {
    set: (index: number, value: number): void => {
      tree[index + length] = value;
      for (let at = (index + length) >> 1; at > 0; at >>= 1) raise(at);
    },
    largestOf: (count: number): number => {
      let largest = Number.NEGATIVE_INFINITY;
      for (let from = length, to = length + count; from < to; from >>= 1, to >>= 1) {
        if (from % 2 === 1) largest = Math.max(largest, tree[from++] ?? 0);
        if (to % 2 === 1) largest = Math.max(largest, tree[--to] ?? 0);
      }
      return largest;
    },
  };
}
