import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { given } from '../../../../../shared/platform/basics/given.ts';
import { ask, FOR_PEOPLE } from '../../api/ask.ts';
import { type TargetFlags, targetOf } from '../../api/target.ts';
import type { Env } from '../../commands.ts';
import { tableOf } from '../../output/print.ts';
import { collectTool, type Form, parseCount, parseDecimal, withTarget } from './options.ts';

const quote = z.looseObject({
  cost: z.string().nullable(),
  cost_source: z.string(),
  rule: z.looseObject({ id: z.string(), name: z.string() }).nullable(),
  parts: z.record(z.string(), z.string()).nullable(),
});

interface QuoteFlags extends TargetFlags {
  model?: string;
  provider?: string;
  project?: string;
  at?: string;
  tier?: string;
  region?: string;
  tokensIn?: number;
  tokensOut?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  tool?: Record<string, number>;
  cost?: number;
}

/** `prices quote`: the price that a call would have, and where it comes from. */
export function addQuoteCommand(prices: Command, around: Env, form: () => Form): void {
  const command = prices
    .command('quote')
    .description('Show what a call would cost, and why; nothing is recorded')
    .option('--model <name>')
    .option('--provider <name>')
    .option('--project <id>')
    .option('--at <time>', 'when it happens; default: now')
    .option('--tier <name>', 'such as batch')
    .option('--region <name>', 'such as us')
    .option('--tokens-in <n>', 'input tokens, cached ones included', parseCount)
    .option('--tokens-out <n>', 'output tokens', parseCount)
    .option('--cache-read <n>', 'tokens read from a cache', parseCount)
    .option('--cache-write <n>', 'tokens written to a cache', parseCount)
    .option('--cache-write-1h <n>', 'these of them that are cached for an hour', parseCount)
    .option('--tool <name=uses>', 'uses of a tool of the vendor; may be repeated', collectTool)
    .option('--cost <usd>', 'as the tool reports it', parseDecimal);
  const example = 'governor prices quote --model claude-opus-4-8 --tokens-in 100000 --tokens-out 10000';
  withTarget(command, 'prices:read', example).action(async (flags: QuoteFlags) => {
    const body = JSON.stringify(bodyOf(flags));
    const answer = await ask(targetOf(flags, around), '/api/v1/prices/quote', body, sleep, quote, FOR_PEOPLE);
    if (form().json) around.print(answer);
    else console.log(inWords(answer, form()));
  });
}

function bodyOf(flags: QuoteFlags): object {
  return given({
    ts: flags.at,
    model: flags.model,
    provider: flags.provider,
    project_id: flags.project,
    service_tier: flags.tier,
    region: flags.region,
    tokens_in: flags.tokensIn,
    tokens_out: flags.tokensOut,
    cache_read_tokens: flags.cacheRead,
    cache_write_tokens: flags.cacheWrite,
    cache_write_1h_tokens: flags.cacheWrite1h,
    tool_uses: flags.tool,
    cost_usd: flags.cost,
  });
}

const SOURCES: Readonly<Record<string, string>> = {
  reported: 'as it was reported',
  computed: 'by the list price',
  rule: 'by a price rule',
};

function inWords({ cost, cost_source, rule, parts }: z.output<typeof quote>, form: Form): string {
  if (cost === null)
    return 'The call has no price: neither the list nor a price rule has one for it (governor prices add).';
  const by = rule ? `by the price rule ${rule.name} (${rule.id})` : (SOURCES[cost_source] ?? cost_source);
  const rows = Object.entries(parts ?? {}).map(([part, amount]) => ({ part, 'cost ($)': amount }));
  return [`$${cost}, ${by}.`, ...(rows.length > 0 ? [tableOf(rows, form)] : [])].join('\n');
}
