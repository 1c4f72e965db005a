import { type ChargeRow, compareRows } from '../exports/focus/sum-charges.ts';

type Rows = AsyncIterable<readonly ChargeRow[]>;

const BATCH_ROWS = 1_000;

/**
 * The rows of a day now less those that are closed, where anything is left, in their order. All streams are in the order of
 * rows, so that one row of each is in memory beside the batches that they come in.
 */
export async function* subtractRows(now: Rows, closed: readonly Rows[]): AsyncGenerator<ChargeRow[]> {
  if (closed.length === 0) {
    for await (const rows of now) yield [...rows];
    return;
  }
  const opened = await Promise.all([openSource(now, 1), ...closed.map((rows) => openSource(rows, -1))]);
  let batch: ChargeRow[] = [];
  for (let first = smallest(opened); first !== null; first = smallest(opened)) {
    const row: ChargeRow = { ...first, calls: 0, consumed: 0, costNusd: 0n };
    for (const source of opened) {
      const own = source.row();
      if (own === null || compareRows(own, row) !== 0) continue;
      add(row, own, source.sign);
      if (!source.step()) await source.load();
    }
    if (row.calls !== 0 || row.consumed !== 0 || row.costNusd !== 0n) batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function add(row: ChargeRow, { calls, consumed, costNusd }: ChargeRow, sign: 1 | -1): void {
  row.calls += sign * calls;
  row.consumed += sign * consumed;
  row.costNusd += BigInt(sign) * costNusd;
}

interface Source {
  sign: 1 | -1;
  row: () => ChargeRow | null;
  /** Goes to the next row of the batch. False: the next batch has to be loaded. */
  step: () => boolean;
  load: () => Promise<void>;
}

async function openSource(rows: Rows, sign: 1 | -1): Promise<Source> {
  const batches = rows[Symbol.asyncIterator]();
  let batch: readonly ChargeRow[] = [];
  let at = 0;
  const load = async () => {
    do {
      const next = await batches.next();
      batch = next.done ? [] : next.value;
      at = 0;
      if (next.done) return;
    } while (batch.length === 0);
  };
  await load();
  const step = () => {
    at += 1;
    return at < batch.length;
  };
  return { sign, row: () => batch[at] ?? null, step, load };
}

function smallest(sources: readonly Source[]): ChargeRow | null {
  let found: ChargeRow | null = null;
  for (const source of sources) {
    const row = source.row();
    if (row !== null && (found === null || compareRows(row, found) < 0)) found = row;
  }
  return found;
}
