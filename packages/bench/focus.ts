import { type Signal, signalKey, signalRows } from '../../shared/core/calls/signals/model.ts';
import { priceCall } from '../../shared/core/pricing/price.ts';
import { isoTime } from '../../shared/platform/basics/clock.ts';
import { type ChargePeriod, readSignals } from '../../shared/wings/exports/focus/sum-charges.ts';
import { numberOption, onStage, type Row, report, round } from './bench.ts';
import { makeKey, type Stage } from './stage.ts';
import { measureExport } from './usage-exports.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
const USERS = 300;
const MODELS = ['claude-sonnet-4-5', 'gpt-5', 'gemini-2.5-pro'];

/**
 * FOCUS files of a month of single calls, each from an api process of its own, beside a cursor that only reads what they are made
 * of. `--signals N`; `rows/s` are signals per second.
 */
export async function runFocusBench(args: string[]): Promise<void> {
  const signals = numberOption(args, 'signals', 1_000_000);
  const rows: Row[] = [];
  await onStage(async (stage) => {
    const { orgId, key } = await makeKey(stage);
    const toMs = Math.floor(stage.ctx.clock.now() / DAY_MS) * DAY_MS;
    const began = performance.now();
    await seedFocus(stage, orgId, { signals, toMs, days: DAYS });
    console.error(`${signals} signals in ${round((performance.now() - began) / 1_000, 0)} s`);
    const range = { fromMs: toMs - DAYS * DAY_MS, toMs };
    const query = new URLSearchParams({ from: isoTime(range.fromMs), to: isoTime(range.toMs) }).toString();
    rows.push({ format: 'none: read alone', rows: signals, 'rows/s': await readAlone(stage, orgId, range) });
    for (const format of ['csv', 'parquet'])
      rows.push(await measureExport(stage, key, format, { query, rows: signals, level: 'focus' }));
  });
  report('focus', rows);
}

async function readAlone(stage: Stage, orgId: string, range: ChargePeriod): Promise<number> {
  const began = performance.now();
  let signals = 0;
  for await (const read of readSignals(stage.ctx, orgId, {}, range)) signals += read.length;
  return round(signals / ((performance.now() - began) / 1_000), 0);
}

/** Signals spread evenly over some days before a time, epoch ms. */
interface Spread {
  signals: number;
  toMs: number;
  days: number;
}

/** Inserts single calls of some hundred users and a few models. */
export async function seedFocus(stage: Stage, orgId: string, spread: Spread): Promise<void> {
  const { signals } = spread;
  for (let first = 0; first < signals; first += 5_000) {
    const count = Math.min(5_000, signals - first);
    const rows = Array.from({ length: count }, (_, at) => signalAt(orgId, first + at, spread));
    await signalRows(stage.ctx).insertMany(rows, { ordered: false });
  }
}

function signalAt(orgId: string, index: number, { signals, toMs, days }: Spread): Signal {
  const ts = new Date(toMs - Math.floor(((index + 1) / signals) * days * DAY_MS));
  const model = MODELS[index % MODELS.length] ?? '';
  const tokens = {
    tokens_in: 1_000 + (index % 60_000),
    tokens_out: index % 2_000,
    cache_read_tokens: index % 900,
    cache_write_tokens: 0,
  };
  const { costNusd, source } = priceCall({ model, at: ts, ...tokens });
  const id = `focus-${index}`;
  return {
    _id: signalKey(orgId, 'claude-code', id),
    org_id: orgId,
    id,
    type: 'call',
    ts,
    user_id: `user-${index % USERS}`,
    project_id: index % 5 ? 'web' : 'app',
    adapter: 'claude-code',
    model,
    provider: null,
    ...tokens,
    cost_nusd: costNusd,
    cost_source: source,
    session_id: `ses_${index % 10_000}`,
    received_at: ts,
  };
}
