import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type PricedCall, priceCall } from '../../../../shared/core/pricing/price.ts';

const AT = Date.UTC(2026, 10, 20, 12);

/** The cells of the table of known prices in docs/pricing.md. */
const ROWS = section().map((line) => line.split('|').map((cell) => cell.trim()));

function section(): string[] {
  const page = readFileSync(new URL('../../../../docs/pricing.md', import.meta.url), 'utf8');
  const [, known = ''] = page.split('## Known prices');
  return known.split('\n').filter((line) => /^\| .*`.*\|$/.test(line));
}

/** The words for counts, and the fields that they stand for. Any other word is the name of a tool. */
const FIELDS: Readonly<Record<string, keyof PricedCall>> = {
  in: 'tokens_in',
  out: 'tokens_out',
  read: 'cache_read_tokens',
  written: 'cache_write_tokens',
  'for an hour': 'cache_write_1h_tokens',
  images: 'output_image_tokens',
  sound: 'output_audio_tokens',
};

function callOf([, provider = '', model = '', served = '', used = '']: readonly string[]): PricedCall {
  const [region] = /(?<=region )\w+/.exec(served) ?? [];
  const [tier] = /^(?!region)[a-z]+/.exec(served) ?? [];
  const counts = used
    .split(', ')
    .map((part) => [part.replace(/^\d+ /, ''), Number.parseInt(part, 10)] as const);
  const tools = counts.filter(([word]) => !Object.hasOwn(FIELDS, word));
  const tokens = counts.flatMap(([word, count]) => {
    const field = Object.hasOwn(FIELDS, word) ? FIELDS[word] : undefined;
    return field ? [[field, count] as const] : [];
  });
  return {
    at: AT,
    provider,
    model: model.replaceAll('`', ''),
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    tokens_in: 0,
    tokens_out: 0,
    ...Object.fromEntries(tokens),
    service_tier: tier,
    region,
    tool_uses: Object.fromEntries(tools),
  };
}

describe('the table of known prices', () => {
  it('has a source for each of at least 60 rows', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(60);
    for (const cells of ROWS) expect(cells[6]).toMatch(/^\[[a-z-]+\]$|^its owner alone knows$/);
  });

  it.each(ROWS.map((cells) => [cells.slice(1, 6).join(' '), cells] as const))('%s', (_, cells) => {
    const { costNusd } = priceCall(callOf(cells));
    const cost = cells[5] ?? '';
    expect(costNusd).toBe(cost === 'unknown' ? null : Math.round(Number(cost.replace('$', '')) * 1e9));
  });
});
