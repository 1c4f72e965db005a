import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../../shared/platform/outward/exchange.ts';

/** Asks until the answer is true. False when the time is over first; throws what the signal carries when it is aborted. */
export async function waitUntil(
  isTrue: () => Promise<boolean>,
  options: { timeoutMs: number; pauseMs?: number; signal?: AbortSignal },
): Promise<boolean> {
  const end = performance.now() + options.timeoutMs;
  while (performance.now() < end) {
    options.signal?.throwIfAborted();
    if (await isTrue()) return true;
    await sleep(options.pauseMs ?? 50);
  }
  return false;
}

/** True when the address answers 2xx within a second. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const answer = await exchange(url, {}, { deadlineMs: 1_000, mostBytes: 1_048_576 });
    return answer.ok;
  } catch {
    return false;
  }
}
