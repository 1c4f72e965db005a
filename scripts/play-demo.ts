import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isoTime, systemClock } from '../shared/platform/basics/clock.ts';
import { SIGNALS_PER_REQUEST } from '../shared/platform/basics/contract.ts';
import { type Demo, readDemo, writeDemo } from './demo-file.ts';
import { type DemoSignal, generateTraffic } from './demo-traffic.ts';
import { describeError, say } from './stack/progress.ts';

const SEED = 20_260_401;
const ATTEMPTS = 5;
const answer = z.object({
  results: z.array(z.object({ status: z.string(), detail: z.string().optional() })),
});

/**
 * Plays thirty days of demo traffic through the public API, once for a data folder. Never throws: a demo without
 * traffic is still a demo, and the next start tries again (the signals keep their ids, so nothing counts twice).
 */
export async function playDemoTraffic(apiUrl: string, dataDir: string, signal: AbortSignal): Promise<void> {
  const demo = readDemo(dataDir);
  if (demo === null || demo.traffic?.played === true) return;
  const traffic = demo.traffic ?? { until: isoTime(systemClock.now()), played: false };
  writeDemo(dataDir, { ...demo, traffic });
  const started = performance.now();
  try {
    const played = await playAll(apiUrl, demo, Date.parse(traffic.until), signal);
    writeDemo(dataDir, { ...demo, traffic: { ...traffic, played: true } });
    say(
      `Played ${played} signals of demo traffic in ${((performance.now() - started) / 1000).toFixed(1)} s.`,
    );
  } catch (error) {
    if (!signal.aborted)
      say(`The demo traffic was not played (the next start tries again): ${describeError(error)}`);
  }
}

async function playAll(apiUrl: string, demo: Demo, untilMs: number, signal: AbortSignal): Promise<number> {
  let played = 0;
  for (const [index, { members, api_key }] of demo.orgs.entries()) {
    const userIds = members.map((member) => member.user_id);
    const signals = generateTraffic(userIds, untilMs, SEED + index);
    for (let at = 0; at < signals.length; at += SIGNALS_PER_REQUEST) {
      await post(apiUrl, api_key ?? '', signals.slice(at, at + SIGNALS_PER_REQUEST), signal);
    }
    played += signals.length;
  }
  return played;
}

/** 503 and 429 ask for patience. Anything else that is not a 200, and any refused signal, is a fault of ours. */
async function post(apiUrl: string, key: string, signals: DemoSignal[], signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify({ signals }), signal };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const response = await fetch(`${apiUrl}/api/v1/signals`, request);
    const body = await response.text();
    if (response.ok) return refuseRejections(body);
    if (response.status !== 503 && response.status !== 429) throw new Error(`${response.status} ${body}`);
    await sleep(attempt * 300);
  }
  throw new Error('the api stays busy');
}

function refuseRejections(body: string): void {
  const rejected = answer.parse(JSON.parse(body)).results.find((result) => result.status === 'rejected');
  if (rejected) throw new Error(`a signal was rejected: ${rejected.detail ?? 'no reason given'}`);
}
