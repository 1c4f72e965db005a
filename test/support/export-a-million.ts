import type { Columns, Row } from '../../shared/platform/basics/columns.ts';
import { encode, type Format } from '../../shared/wings/exports/encode.ts';

const COLUMNS: Columns = [
  { name: 'start', type: 'time' },
  { name: 'user_id', type: 'text' },
  { name: 'tokens_in', type: 'integer' },
  { name: 'cost_usd', type: 'money' },
];
const BATCH_ROWS = 1_000;
const BATCHES = 1_000;

/** A million different rows, in batches as the store gives them. */
async function* rows(): AsyncGenerator<readonly Row[]> {
  for (let batch = 0; batch < BATCHES; batch += 1) {
    yield Array.from({ length: BATCH_ROWS }, (_, at): Row => {
      const number = batch * BATCH_ROWS + at;
      return ['2026-01-01T00:00:00.000Z', `user-${number}-${'x'.repeat(40)}`, number, BigInt(number)];
    });
  }
}

/** Encodes them in the format that the command line names, keeps nothing, and prints how many bytes it were. */
let bytes = 0;
for await (const part of encode(process.argv[2] as Format, COLUMNS, rows())) bytes += part.length;
console.log(bytes);
