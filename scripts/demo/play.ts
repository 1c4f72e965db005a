import { setTimeout as pause } from 'node:timers/promises';
import { type SignalResult, sendSignals } from '../../packages/governor/src/api/send-signals.ts';
import { describeError, say } from '../../packages/stack/progress.ts';
import { isoTime, systemClock } from '../../shared/platform/basics/clock.ts';
import { SIGNALS_PER_REQUEST } from '../../shared/platform/basics/contract.ts';
import { DAY_MS } from '../../shared/platform/basics/interval.ts';
import { placeCalls, reportPullRequests } from './branches.ts';
import { type Demo, readDemo, writeDemo } from './file.ts';
import { addDemoRules } from './rules.ts';
import { spendDemoCredits } from './spends.ts';
import { generateTraffic, SPIKING_MEMBER } from './traffic.ts';

const SEED = 20_260_401;
/** Calls between two lines of progress. */
const SAID_EACH = 3 * SIGNALS_PER_REQUEST;
/** A play that was interrupted longer ago begins anew: its first days would be too old to be taken. */
const RESUMED_FOR_MS = 4 * DAY_MS;

/**
 * Plays spends of credits, thirty days of demo traffic through the public API, and then its pull requests, budgets and webhooks, once
 * for a data folder. Returns true when it has done so now. Never throws: a demo without traffic is still a demo, and the next start
 * tries again (the signals keep their ids, so nothing counts twice).
 */
export async function playDemoTraffic(
  apiUrl: string,
  dataDir: string,
  signal: AbortSignal,
): Promise<boolean> {
  const demo = readDemo(dataDir);
  if (demo === null || demo.traffic?.played === true) return false;
  const nowMs = systemClock.now();
  const begun = demo.traffic && nowMs - Date.parse(demo.traffic.until) < RESUMED_FOR_MS ? demo.traffic : null;
  const traffic = begun ?? { until: isoTime(nowMs), played: false };
  writeDemo(dataDir, { ...demo, traffic });
  const started = performance.now();
  try {
    const played = await playAll(apiUrl, demo, Date.parse(traffic.until), signal);
    writeDemo(dataDir, { ...demo, traffic: { ...traffic, played: true } });
    say(
      `Played ${count(played)} calls of demo traffic in ${((performance.now() - started) / 1000).toFixed(1)} s.`,
    );
    return true;
  } catch (error) {
    if (!signal.aborted)
      say(`The demo traffic was not played (the next start tries again): ${describeError(error)}`);
    return false;
  }
}

async function playAll(apiUrl: string, demo: Demo, untilMs: number, signal: AbortSignal): Promise<number> {
  let played = 0;
  const [first] = demo.orgs;
  say('Playing the demo: spends of credits …');
  if (first) await spendDemoCredits(apiUrl, first, signal);
  for (const [index, { name, members, api_key }] of demo.orgs.entries()) {
    const target = { api: apiUrl, apiKey: api_key ?? '', signal };
    const owner = name.toLowerCase().replaceAll(' ', '-');
    const userIds = members.map((member) => member.user_id);
    const signals = placeCalls(owner, generateTraffic(userIds, untilMs, SEED + index));
    for (let at = 0; at < signals.length; at += SIGNALS_PER_REQUEST) {
      if (at % SAID_EACH === 0) say(`Playing calls of ${name}: ${count(at)} of ${count(signals.length)} …`);
      refuseRejections(await sendSignals(target, signals.slice(at, at + SIGNALS_PER_REQUEST), pause));
    }
    played += signals.length;
    say(`Reporting pull requests of ${name} …`);
    await reportPullRequests(target, owner, signals, untilMs);
    const careless = members[SPIKING_MEMBER];
    if (careless) await addDemoRules(target, careless.user_id);
  }
  return played;
}

function count(calls: number): string {
  return calls.toLocaleString('en-US');
}

/** A signal of our own that is rejected is a fault of ours. */
function refuseRejections(results: readonly SignalResult[]): void {
  const rejected = results.find((result) => result.status === 'rejected');
  if (rejected) throw new Error(`a signal was rejected: ${rejected.detail ?? 'no reason given'}`);
}
