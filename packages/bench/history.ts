import { Pool } from 'undici';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { numberOption, onStage, percentiles, report, round, timed } from './bench.ts';
import { makeKey, postSignals } from './stage.ts';

const USERS = 997;
const PER_BATCH = 1_000;
const DAY_MS = 86_400_000;
/** How old history is: from 20 days on up to 5, in the order in which it happened. */
const AGE_DAYS = { from: 20, to: 5 };

/**
 * `history [--signals 210000]`: signals that are 20 to 5 days old, of 997 users, posted in batches of 1,000 into two
 * organizations one after the other, as live ones, beside a worker that looks at the sessions they make.
 */
export async function runHistoryBench(args: string[]): Promise<void> {
  const batches = Math.ceil(numberOption(args, 'signals', 210_000) / PER_BATCH);
  await onStage(async (stage) => {
    const api = await stage.startApi();
    await stage.startWorker();
    const pool = new Pool(api.url);
    const keys = await Promise.all([makeKey(stage), makeKey(stage)]);
    const times: number[] = [];
    for (let batch = 0; batch < batches; batch += 1) {
      const signals = signalsOf(batch, batches);
      const began = performance.now();
      const results = await postSignals(pool, keys[batch % keys.length]?.key ?? '', signals);
      times.push(performance.now() - began);
      if (results.some(({ status }) => status !== 'accepted')) throw new Error('Not all were accepted');
      if (batch % 20 === 0) console.error(`${batch + 1} of ${batches}: ${Math.round(times.at(-1) ?? 0)} ms`);
    }
    const exitMs = round(await timed(() => api.end()), 0);
    report('history', [{ batches, ...percentiles(times, 0), 'api ended after ms': exitMs }]);
  });
}

function signalsOf(batch: number, batches: number): object[] {
  const nowMs = systemClock.now();
  const spanMs = (AGE_DAYS.from - AGE_DAYS.to) * DAY_MS;
  return Array.from({ length: PER_BATCH }, (_, at) => {
    const index = batch * PER_BATCH + at;
    const passed = index / (batches * PER_BATCH);
    return {
      id: `history-${index}`,
      ts: new Date(Math.floor(nowMs - AGE_DAYS.from * DAY_MS + passed * spanMs)).toISOString(),
      user_id: `user-${(index * 7_919) % USERS}`,
      project_id: `project-${index % 12}`,
      adapter: 'claude-code',
      model: index % 3 === 0 ? 'claude-opus-4-1' : 'claude-sonnet-4-5',
      provider: 'anthropic',
      tokens_in: 1_200 + (index % 5_000),
      tokens_out: 300,
      latency_ms: 900,
    };
  });
}
