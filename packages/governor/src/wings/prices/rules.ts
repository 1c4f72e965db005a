import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { given } from '../../../../../shared/platform/basics/given.ts';
import { type Api, ask, FOR_PEOPLE } from '../../api/ask.ts';
import { type TargetFlags, targetOf } from '../../api/target.ts';
import type { Env } from '../../commands.ts';
import { tableOf } from '../../output/print.ts';
import { collectTool, type Form, parseDecimal, withTarget } from './options.ts';

const rule = z.looseObject({
  id: z.string(),
  name: z.string(),
  from: z.string(),
  to: z.string().nullable(),
  match: z.record(z.string(), z.string().nullable()),
  discount_percent: z.number().optional(),
  usd_per_million: z.looseObject({ input: z.number(), output: z.number() }).optional(),
  per_request_usd: z.number().optional(),
  tool_uses: z.record(z.string(), z.number()).optional(),
  last_30_days: z
    .looseObject({ signals: z.number(), cost_usd: z.number(), list_cost_usd: z.number() })
    .nullish(),
});
type Rule = z.output<typeof rule>;
const page = z.looseObject({ data: z.array(rule), cursor: z.string(), has_more: z.boolean() });

interface AddFlags extends TargetFlags {
  name: string;
  from: string;
  to?: string;
  provider?: string;
  model?: string;
  tier?: string;
  project?: string;
  discount?: number;
  free?: true;
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  outputImage?: number;
  outputAudio?: number;
  perRequest?: number;
  tool?: Record<string, number>;
  replacesReported?: true;
}

/** `prices list`, `add` and `end`: the price rules of the key's organization. */
export function addRuleCommands(prices: Command, around: Env, form: () => Form): void {
  withTarget(
    prices.command('list').description('List the price rules, with what each changed in the last 30 days'),
    'prices:read',
    'governor prices list',
  ).action(async (flags: TargetFlags) => {
    const rules = await readRules(targetOf(flags, around));
    if (form().json) around.print({ rules });
    else console.log(rules.length === 0 ? 'There is no price rule.' : tableOf(rules.map(rowOf), form()));
  });
  withTarget(
    addFlags(prices.command('add').description('Give calls that are recorded from now on a price')),
    'prices:write',
    'governor prices add --name "Our own GPUs" --from 2026-10-01 --provider vllm --input 0.2 --output 0.6',
  ).action(async (flags: AddFlags) => {
    const body = JSON.stringify(bodyOf(flags));
    show(await ask(targetOf(flags, around), '/api/v1/price-rules', body, sleep, rule, { attempts: 1 }));
  });
  withTarget(
    prices
      .command('end <rule_id>')
      .description('End a price rule: calls at this time and later no longer have its price')
      .option('--at <time>', 'a date or a time; default: now'),
    'prices:write',
    'governor prices end prl_0123456789abcdef --at 2026-12-01',
  ).action(async (id: string, flags: TargetFlags & { at?: string }) => {
    const to = flags.at ?? new Date(around.now()).toISOString();
    const path = `/api/v1/price-rules/${encodeURIComponent(id)}`;
    const how = { ...FOR_PEOPLE, method: 'PATCH' } as const;
    show(await ask(targetOf(flags, around), path, JSON.stringify({ to }), sleep, rule, how));
  });
  const show = (changed: Rule) => {
    if (form().json) around.print(changed);
    else console.log(tableOf([rowOf(changed)], form()));
  };
}

function addFlags(command: Command): Command {
  return command
    .requiredOption('--name <name>', 'shown at its calls')
    .requiredOption('--from <time>', 'a date or a time: it prices calls then and later')
    .option('--to <time>', 'it prices calls before; default: for ever')
    .option('--provider <name>', 'only calls of this provider; * is any characters')
    .option('--model <name>', 'only calls of this model, such as claude-*')
    .option('--tier <name>', 'only calls of this tier; standard means calls without one')
    .option('--project <id>', 'only calls of this project')
    .option('--discount <percent>', 'off the list price; below 0 a surcharge', parseDecimal)
    .option('--free', 'the calls cost nothing')
    .option('--input <usd>', 'for a million input tokens', parseDecimal)
    .option('--output <usd>', 'for a million output tokens', parseDecimal)
    .option('--cache-read <usd>', 'for a million tokens read from a cache', parseDecimal)
    .option('--cache-write <usd>', 'for a million tokens written to a cache', parseDecimal)
    .option('--cache-write-1h <usd>', 'for a million of these that are cached for an hour', parseDecimal)
    .option('--output-image <usd>', 'for a million tokens of images', parseDecimal)
    .option('--output-audio <usd>', 'for a million tokens of sound', parseDecimal)
    .option('--per-request <usd>', 'for a request', parseDecimal)
    .option('--tool <name=usd>', 'for a thousand uses of a tool; may be repeated', collectTool)
    .option('--replaces-reported', 'also for calls whose cost was reported');
}

/** The rule as it is posted. The api refuses one without exactly one effect. */
function bodyOf(flags: AddFlags): object {
  const usd = given({
    input: flags.input,
    output: flags.output,
    cache_read: flags.cacheRead,
    cache_write: flags.cacheWrite,
    cache_write_1h: flags.cacheWrite1h,
    output_image: flags.outputImage,
    output_audio: flags.outputAudio,
  });
  return given({
    name: flags.name,
    from: flags.from,
    to: flags.to,
    match: given({
      provider: flags.provider,
      model: flags.model,
      service_tier: flags.tier,
      project_id: flags.project,
    }),
    discount_percent: flags.discount,
    free: flags.free,
    usd_per_million: Object.keys(usd).length === 0 ? undefined : usd,
    per_request_usd: flags.perRequest,
    tool_uses: flags.tool,
    replaces_reported: flags.replacesReported,
  });
}

async function readRules(api: Api): Promise<Rule[]> {
  const rules: Rule[] = [];
  let next = '';
  for (;;) {
    const path = `/api/v1/price-rules?limit=100${next}`;
    const { data, cursor, has_more } = await ask(api, path, null, sleep, page, FOR_PEOPLE);
    rules.push(...data);
    if (!has_more) return rules;
    next = `&cursor=${encodeURIComponent(cursor)}`;
  }
}

function rowOf(shown: Rule): object {
  const { id, name, from, to, match, last_30_days: days } = shown;
  const matched = Object.entries(match).flatMap(([field, value]) =>
    value === null ? [] : `${field}=${value}`,
  );
  const row = { id, name, from, to, match: matched.join(' ') || 'all calls', price: priceOf(shown) };
  if (days === undefined) return row;
  return {
    ...row,
    'calls in 30 days': days?.signals ?? null,
    'cost ($)': days?.cost_usd ?? null,
    'by the list ($)': days?.list_cost_usd ?? null,
  };
}

function priceOf({ discount_percent: percent, usd_per_million: usd, ...more }: Rule): string {
  if (percent !== undefined) return percent > 0 ? `${percent} % off` : `${-percent} % more`;
  if (!usd) return 'free';
  const parts = [`$${usd.input} in`, `$${usd.output} out`];
  if (more.per_request_usd !== undefined) parts.push(`$${more.per_request_usd} per request`);
  for (const [tool, price] of Object.entries(more.tool_uses ?? {})) parts.push(`$${price} per 1,000 ${tool}`);
  return parts.join(', ');
}
