import { expect, test } from 'vitest';
import {
  bodyOf as quoteBody,
  draftOf as quoteDraft,
} from '../../packages/dashboard/wings/prices/parts/quoted-call.ts';
import { changeOf, draftOf } from '../../packages/dashboard/wings/push/parts/draft.ts';

// A form shows a thing as text, and sends it as it is.

const LEVELS = [
  { level: 'focus', format: 'csv', focus_version: '1.3', billed: 'invoice' },
  { level: 'daily', format: 'ndjson' },
  { level: 'sessions', format: 'parquet' },
] as const;
const PLACE = {
  endpoint: 'https://s3.example.com',
  region: 'eu-1',
  bucket: 'costs',
  access_key_id: 'AKIA1',
  path_style: false,
} as const;

test.each([
  ['s3', PLACE],
  ['folder', {}],
] as const)('the form of a destination (%s) sends what it has read, and no secret', (kind, place) => {
  const fields = { name: 'Finance', prefix: 'a/b', levels: [...LEVELS], hour_utc: 5, since: '2026-10-01' };
  const destination = { ...fields, ...place, kind } as Parameters<typeof draftOf>[0];
  expect(changeOf(draftOf(destination))).toEqual({ ...fields, ...place });
});

test.each([
  {},
  {
    ts: '2026-11-20T10:00:00.000Z',
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    project_id: 'shop',
    service_tier: 'batch',
    region: 'eu',
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    cache_write_1h_tokens: 5,
    output_image_tokens: 6,
    output_audio_tokens: 7,
    cost_usd: 0.25,
    tool_uses: { web_search: 2, 'code-run': 1 },
  },
])('the form of a price question sends what it has read: %j', (fields) => {
  for (const tokens of [
    { tokens_in: 1, tokens_out: 2 },
    { tokens_in: null, tokens_out: 0 },
  ])
    expect(quoteBody(quoteDraft({ ...fields, ...tokens }))).toEqual({ ...fields, ...tokens });
});
