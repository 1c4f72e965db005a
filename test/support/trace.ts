import { readFileSync } from 'node:fs';
import { seeded } from './random.ts';

/** Seconds of the trace; the timeouts of the tests cut it in different ways. */
const LENGTH_S = 3_420;
const LARGEST_CONTEXT = 7_437;

/**
 * A trace in the format of Azure's LLM inference trace: the one that the environment variable TRACE_FILE names, else one
 * made from a seed, with what matters of the real one: calls come in bursts with pauses between them, tokens are spread
 * log-normally and cut at the context's size, rows are in the order of their times, lines end in CRLF.
 */
export function readTrace(options: { calls: number; seed?: number }): string {
  const { TRACE_FILE } = process.env;
  return TRACE_FILE ? readFileSync(TRACE_FILE, 'utf8') : makeTrace(options);
}

function makeTrace({ calls, seed = 20_231_116 }: { calls: number; seed?: number }): string {
  const random = seeded(seed);
  const gaps = Array.from({ length: calls }, () => (random() < 0.02 ? 40 : 1) * -Math.log(1 - random()));
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  const rows = ['TIMESTAMP,ContextTokens,GeneratedTokens'];
  let seconds = 0;
  for (const gap of gaps) {
    seconds += (gap / total) * LENGTH_S;
    const time = new Date(Date.UTC(2023, 10, 16, 18, 17) + seconds * 1_000).toISOString();
    // Azure writes tenths of microseconds.
    const digits = String(Math.floor(random() * 10_000)).padStart(4, '0');
    const context = Math.min(LARGEST_CONTEXT, 3 + Math.round(Math.exp(7.2 + normal(random))));
    const generated = 1 + Math.round(Math.exp(2.6 + normal(random)));
    rows.push(`${time.slice(0, 10)} ${time.slice(11, 23)}${digits},${context},${generated}`);
  }
  return rows.join('\r\n');
}

/** Box and Muller's transform: mean 0, deviation 1. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
