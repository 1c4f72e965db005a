import type { PostedSignal } from '../../../../shared/adapters/posted.ts';
import { type Found, parseObject } from '../history.ts';

/** A line that is a signal as `POST /api/v1/signals` takes it; the api judges it. */
export function readNdjsonLine(line: string): Found[] {
  if (line.trim() === '') return [];
  const signal = parseObject(line);
  if (!signal) return [{ leftOut: 'no JSON object' }];
  const key = typeof signal.id === 'string' ? JSON.stringify([signal.adapter, signal.id]) : line;
  return [{ call: { key, rank: 0, sharesId: true, signal: signal as unknown as PostedSignal } }];
}
