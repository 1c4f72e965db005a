import { Pool } from 'undici';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { systemClock } from '../../shared/platform/basics/clock.ts';
import { newId } from '../../shared/platform/basics/ids.ts';
import { priceRuleRows } from '../../shared/wings/prices/model.ts';
import { numberOption, onStage, type Row, report, round, runClients } from './bench.ts';
import { callOf, makeKey, postSignals, type Stage } from './stage.ts';

const CELLS = [
  { batch: 1, clients: 16 },
  { batch: 1_000, clients: 1 },
] as const;
/** How often the two organizations take turns; the first turn of each is not counted. */
const TURNS = 10;
const USERS = 50;

/**
 * `price-rules [--rules 1000] [--seconds 10]`: signals of an organization with so many price rules, one of which prices them, and of
 * one without, in turns through one api.
 */
export async function runPriceRulesBench(args: string[]): Promise<void> {
  const rules = numberOption(args, 'rules', 1_000);
  const seconds = numberOption(args, 'seconds', 10);
  const rows: Row[] = [];
  await onStage(async (stage) => {
    const { url } = await stage.startApi();
    const pool = new Pool(url);
    for (const cell of CELLS) rows.push(await measureCell(stage, pool, { ...cell, rules, seconds }));
  });
  report('price-rules', rows);
}

interface Cell {
  batch: number;
  clients: number;
  rules: number;
  seconds: number;
}

async function measureCell(stage: Stage, pool: Pool, { batch, clients, rules, seconds }: Cell): Promise<Row> {
  const [plain, ruled] = [await makeKey(stage), await makeKey(stage)];
  await addRules(stage, ruled.orgId, rules);
  const sides = [plain, ruled].map(({ key }) => ({ key, posts: 0, seconds: 0 }));
  let made = 0;
  const next = () => Array.from({ length: batch }, () => callOf(`c-${made++}`, `user-${made % USERS}`));
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (const side of sides) {
      const post = () => postSignals(pool, side.key, next());
      const ran = await runClients(clients, seconds / TURNS, post);
      if (turn === 0) continue;
      side.posts += ran.times.length;
      side.seconds += ran.seconds;
    }
  const [without, having] = sides.map((side) => (side.posts * batch) / side.seconds);
  return {
    batch,
    clients,
    rules,
    'without, signals/s': Math.round(without ?? 0),
    'with, signals/s': Math.round(having ?? 0),
    ratio: round((having ?? 0) / (without ?? 1)),
  };
}

/** Rules of other models, and one of the calls that are posted. */
async function addRules({ ctx }: Stage, org_id: string, count: number): Promise<void> {
  const now = new Date(systemClock.now());
  const rules = Array.from({ length: count }, (_, at) => ({
    _id: newId('prl'),
    org_id,
    name: `Rule ${at}`,
    from: new Date(0),
    to: null,
    match: {
      provider: null,
      model: at === 0 ? 'gpt-4o-*' : `other-${at}-*`,
      service_tier: null,
      project_id: null,
    },
    effect: { discount_percent: 10 },
    replaces_reported: false,
    created_at: now,
    updated_at: now,
  }));
  await priceRuleRows(ctx).insertMany(rules);
  await organizationRows(ctx).updateOne({ _id: org_id }, { $set: { price_rules: count } });
}
