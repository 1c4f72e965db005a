import { setTimeout as sleep } from 'node:timers/promises';
import { round } from '../bench.ts';
import { ESTIMATE_USD, type Model } from './model.ts';
import type { Gateway } from './start-gateways.ts';

export const LIMIT_USD = 1;
const CLIENTS = 32;
/** Refusals after all is settled that are enough to see. */
const MOST_PHANTOMS = 5;
/** For how long clients try again while something is away. */
const PATIENCE_MS = 240_000;

/** The end of a limit of $1. */
export interface Outcome {
  /** Calls that the model served. */
  served: number;
  /** Dollars that the model served beyond the limit. */
  overshoot_usd: number;
  /** Refusals after all was settled, while a call fitted. */
  phantom_refusals: number;
}

interface Spending {
  gateway: Gateway;
  model: Model;
  calls: number;
  /** Resolves when nothing is under way and everything was counted. */
  settled: () => Promise<void>;
  /** Kills something once some calls were served; resolves when it is back. */
  kill?: () => Promise<void>;
}

/** Has clients make calls at one time, lets everything settle, and goes on one call after the other until one is refused. */
export async function spendLimit({ gateway, model, calls, settled, kill }: Spending): Promise<Outcome> {
  const before = { served: model.served, nusd: model.nusd };
  const spentUsd = () => (model.nusd - before.nusd) / 1e9;
  let left = calls;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await askUntilAnswered(gateway);
    }
  };
  const killing = kill && killAfter(kill, () => model.served - before.served >= CLIENTS / 2);
  await Promise.all([...Array.from({ length: CLIENTS }, client), killing]);
  const phantom_refusals = await goOn(gateway, settled, spentUsd);
  const overshoot = Math.max(0, spentUsd() - LIMIT_USD);
  return { served: model.served - before.served, overshoot_usd: round(overshoot, 4), phantom_refusals };
}

async function killAfter(kill: () => Promise<void>, isTime: () => boolean): Promise<void> {
  while (!isTime()) await sleep(10);
  await kill();
}

/** One call of a client, who tries again while nobody can say whether it fits. Returns whether it was served. */
async function askUntilAnswered(gateway: Gateway): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const status = await gateway.ask();
    if (status === 200) return true;
    if (status === 403 || status === 429) return false;
    if (status !== 0 && status < 500) throw new Error(`The gateway answers ${status}`);
    await sleep(200);
  }
  throw new Error('The gateway does not answer.');
}

/** Returns the refusals of calls that fit into what is left. */
async function goOn(gateway: Gateway, settled: () => Promise<void>, spentUsd: () => number): Promise<number> {
  for (let phantoms = 0; phantoms < MOST_PHANTOMS; ) {
    await settled();
    if (await askUntilAnswered(gateway)) continue;
    if (spentUsd() + ESTIMATE_USD > LIMIT_USD) return phantoms;
    phantoms += 1;
  }
  return MOST_PHANTOMS;
}
