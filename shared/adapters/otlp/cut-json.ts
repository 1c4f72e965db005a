/** The names on the way from the root of a request to its lists of records. */
export interface RecordPath {
  readonly owners: string;
  readonly scopes: string;
  readonly records: string;
}

/** A body without its records, each of which is a placeholder in it, and where the records are. */
export interface CutBody {
  frame: string;
  records: readonly { start: number; end: number }[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = { '{': 0x7b, '[': 0x5b };
const CLOSE = { '}': 0x7d, ']': 0x5d };

/** What opens at each depth on the way: the root, its owners, an owner, its scopes, a scope, its records. */
const WAY = [OPEN['{'], OPEN['['], OPEN['{'], OPEN['['], OPEN['{'], OPEN['[']];

/**
 * Cuts the records out of a JSON body, so that they can be parsed one after the other: the parser's result of a whole body
 * takes several times its text. Checks nothing by itself. A body is valid JSON exactly when the frame and every record are;
 * records that stand under a name with escapes stay in the frame.
 */
export function cutRecords(body: Buffer, { owners, scopes, records: list }: RecordPath): CutBody {
  const names = new Map([owners, scopes, list].map((name, index) => [2 * index + 1, Buffer.from(name)]));
  const records: { start: number; end: number }[] = [];
  let depth = 0;
  /** So many of the open containers lie on the way. */
  let onWay = 0;
  let isNamed = false;
  let start = -1;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      const end = endOfText(body, at);
      if (depth === onWay) isNamed = names.get(depth)?.equals(body.subarray(at + 1, end)) ?? false;
      at = end;
    } else if (byte === OPEN['{'] || byte === OPEN['[']) {
      if (depth === WAY.length && onWay === depth && byte === OPEN['{']) start = at;
      const isFollowed = depth === onWay && byte === WAY[depth] && (depth % 2 === 0 || isNamed);
      depth += 1;
      if (isFollowed) onWay = depth;
    } else if (byte === CLOSE['}'] || byte === CLOSE[']']) {
      depth -= 1;
      if (start >= 0 && depth === WAY.length) {
        records.push({ start, end: at + 1 });
        start = -1;
      }
      onWay = Math.min(onWay, depth);
    }
  }
  return { frame: frameOf(body, records), records };
}

/** Where a text ends that begins at `start`: at its closing quote, or at the end of the body. */
function endOfText(body: Buffer, start: number): number {
  for (let end = body.indexOf(QUOTE, start + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let first = end;
    while (body[first - 1] === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return body.length;
}

/** No field of OTLP has this name. */
const PLACE = '';

function frameOf(body: Buffer, records: readonly { start: number; end: number }[]): string {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [index, { start, end }] of records.entries()) {
    parts.push(body.subarray(from, start), Buffer.from(JSON.stringify({ [PLACE]: index })));
    from = end;
  }
  return Buffer.concat([...parts, body.subarray(from)]).toString('utf8');
}

/** The text of the record that a parsed element of the frame stands for, or null where it is no placeholder. */
export function recordText(body: Buffer, { records }: CutBody, element: unknown): string | null {
  if (typeof element !== 'object' || element === null) return null;
  const index = (element as Record<string, unknown>)[PLACE];
  const place = typeof index === 'number' ? records[index] : undefined;
  return place ? body.toString('utf8', place.start, place.end) : null;
}
