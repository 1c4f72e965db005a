import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFolder } from '../../../packages/governor/src/import-history.ts';
import { claudeCode } from '../../../packages/governor/src/readers/claude-code.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import {
  api,
  claudeLine,
  home,
  type Json,
  NOW,
  setUpHistory,
  target,
  tenant,
  writeLines,
} from './history.ts';

setUpHistory();

const SENT = { input_tokens: 100_000, output_tokens: 10_000 };

/** The one signal of a transcript with this usage. */
async function imported(usage: Json, model = 'claude-opus-4-8') {
  writeLines(join(home.folder, 'projects', 'p', 's.jsonl'), [
    claudeLine(NOW - 1_000, 'msg_priced', usage, {}, { model }),
  ]);
  await importFolder(claudeCode, home.folder, { ...target(), nowMs: NOW });
  const [row] = await signalRows(api.ctx).find({ org_id: tenant.orgId }).toArray();
  return row;
}

describe('a transcript of Claude Code says how a call was served', () => {
  it.each([
    ['fast mode', { speed: 'fast' }, 'claude-opus-4-8', 1_500_000_000],
    ['standard speed', { speed: 'standard', service_tier: 'standard' }, 'claude-opus-4-8', 750_000_000],
    ['fast mode that is billed as standard', { speed: 'fast' }, 'claude-opus-4-6', 750_000_000],
    ['fast mode of a model that has none', { speed: 'fast' }, 'claude-sonnet-4-5', null],
    ['a tier and fast mode', { speed: 'fast', service_tier: 'priority' }, 'claude-opus-4-8', null],
    ['the batch tier', { service_tier: 'batch' }, 'claude-opus-4-8', 375_000_000],
    ['the United States', { inference_geo: 'us' }, 'claude-opus-4-8', 825_000_000],
    ['anywhere', { inference_geo: 'global' }, 'claude-opus-4-8', 750_000_000],
    ['nowhere known', { inference_geo: 'not_available' }, 'claude-opus-4-8', 750_000_000],
    [
      'web searches',
      { server_tool_use: { web_search_requests: 5, web_fetch_requests: 2 } },
      'claude-opus-4-8',
      800_000_000,
    ],
    [
      'searches that are no count',
      { server_tool_use: { web_search_requests: 1.5 } },
      'claude-opus-4-8',
      null,
    ],
    ['tools without a fee', { server_tool_use: { moon_walk_requests: 1 } }, 'claude-opus-4-8', null],
    [
      'a cache for an hour above 200,000 tokens',
      {
        input_tokens: 100,
        output_tokens: 200,
        cache_creation_input_tokens: 250_000,
        cache_creation: { ephemeral_1h_input_tokens: 250_000 },
      },
      'claude-sonnet-4-5',
      600_000 + 3_000_000_000 + 4_500_000,
    ],
    [
      'the compactions that an answer needed',
      {
        iterations: [
          { type: 'compaction', ...SENT },
          { type: 'message', ...SENT },
        ],
      },
      'claude-opus-4-8',
      1_500_000_000,
    ],
  ] satisfies [string, Json, string, number | null][])('%s', async (_, usage, model, cost) => {
    expect((await imported({ ...SENT, ...usage }, model))?.cost_nusd).toBe(cost);
  });

  it('and the call keeps it, without a reported cost', async () => {
    const row = await imported({
      ...SENT,
      inference_geo: 'us',
      speed: 'fast',
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_1h_input_tokens: 4, ephemeral_5m_input_tokens: 6 },
      server_tool_use: { web_search_requests: 1 },
    });
    expect(row).toMatchObject({
      service_tier: 'fast',
      region: 'us',
      cache_write_1h_tokens: 4,
      tool_uses: { web_search: 1 },
      cost_source: 'computed',
    });
  });
});
