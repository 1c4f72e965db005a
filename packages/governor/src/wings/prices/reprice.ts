import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { given } from '../../../../../shared/platform/basics/given.ts';
import { type Api, ask, FOR_PEOPLE, type Pause } from '../../api/ask.ts';
import { type TargetFlags, targetOf } from '../../api/target.ts';
import type { Env } from '../../commands.ts';
import { tableOf } from '../../output/print.ts';
import { type Form, withTarget } from './options.ts';

const measures = {
  signals: z.number(),
  changed: z.number(),
  cost_before: z.string(),
  cost_after: z.string(),
  unpriced_before: z.number(),
  unpriced_after: z.number(),
};
const repricing = z.looseObject({
  id: z.string(),
  state: z.enum(['preview', 'applying', 'applied']),
  ...measures,
  models: z.array(z.looseObject({ model: z.string(), ...measures })),
});
type Repricing = z.output<typeof repricing>;

interface RepriceFlags extends TargetFlags {
  from: string;
  to?: string;
  model?: string;
  provider?: string;
  onlyUnpriced?: true;
  apply?: true;
}

const EVERY_MS = 500;

/** `prices reprice`: gives recorded calls the present prices, after a preview. */
export function addRepriceCommand(prices: Command, around: Env, form: () => Form): void {
  const command = prices
    .command('reprice')
    .description('Preview recorded calls at the present prices; with --apply they get them')
    .requiredOption('--from <time>', 'a date or a time, at most 35 days back')
    .option('--to <time>', 'calls before this; default: now')
    .option('--model <name>', 'only calls of this model')
    .option('--provider <name>', 'only calls of this provider')
    .option('--only-unpriced', 'only calls without a price')
    .option('--apply', 'carry it out, and wait until it is done');
  const example = 'governor prices reprice --from 2026-11-01 --only-unpriced --apply';
  withTarget(command, 'prices:write', example).action(async (flags: RepriceFlags) => {
    const api = targetOf(flags, around);
    const body = JSON.stringify(bodyOf(flags, around.now()));
    const preview = await ask(api, '/api/v1/repricings', body, sleep, repricing, { attempts: 1 });
    const isJson = form().json === true;
    if (!isJson) console.log(inWords(preview, form()));
    const result = flags.apply ? await apply(api, preview.id, sleep) : preview;
    if (isJson) around.print(result);
    else if (flags.apply) console.log(`Applied: ${result.id}`);
    else console.log(`Nothing has changed yet (${result.id}). Repeat the command with --apply.`);
  });
}

function bodyOf(flags: RepriceFlags, nowMs: number): object {
  return given({
    from: flags.from,
    to: flags.to ?? new Date(nowMs).toISOString(),
    model: flags.model,
    provider: flags.provider,
    only_unpriced: flags.onlyUnpriced,
  });
}

/** Applies a preview, and waits until the last call has its new price. */
async function apply(api: Api, id: string, pause: Pause): Promise<Repricing> {
  const path = `/api/v1/repricings/${encodeURIComponent(id)}`;
  let row = await ask(api, `${path}/apply`, '{}', pause, repricing, FOR_PEOPLE);
  while (row.state !== 'applied') {
    await pause(EVERY_MS);
    row = await ask(api, path, null, pause, repricing, FOR_PEOPLE);
  }
  return row;
}

function inWords(row: Repricing, form: Form): string {
  const { signals, changed, models } = row;
  const shown = models.filter((model) => model.changed > 0 || model.unpriced_after > 0);
  const all = [...shown, { ...row, model: 'all' }];
  const rows = all.map((own) => ({
    model: own.model,
    calls: own.signals,
    changed: own.changed,
    'cost before ($)': own.cost_before,
    'cost after ($)': own.cost_after,
    'without a price before': own.unpriced_before,
    after: own.unpriced_after,
  }));
  const count = (number: number) => number.toLocaleString('en-US');
  return [`${count(changed)} of ${count(signals)} calls change their price.`, tableOf(rows, form)].join('\n');
}
