import { describe, expect, it } from 'vitest';
import { applyRepricing } from '../../../shared/wings/prices/repricing/apply-parts.ts';
import { repricingRows } from '../../../shared/wings/prices/repricing/model.ts';
import { commandLine } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';
import { until } from '../../support/harness.ts';

const fx = await fixture({ perTest: true });
const { ctx } = fx;

const GPUS = '--name|Our own GPUs|--provider|vllm|--input|0.2|--output|0.6'.split('|');
const OWN = { model: 'llama-4-70b', provider: 'vllm', tokens_in: 1_000_000, tokens_out: 100_000 };
const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
const report = (...calls: object[]) =>
  fx.spend(...calls.map((call) => ({ ts: Date.now() - 1_000, ...call })));

describe('governor prices', () => {
  const line = () => commandLine({ GOVERNOR_API: fx.api.url, GOVERNOR_API_KEY: fx.key }, 'people');
  const run = (...args: string[]) => line().run('prices', ...args);
  const json = (...args: string[]) => line().governor('prices', ...args);

  it('lists rules with whole ids and what they changed', async () => {
    expect((await run('list')).stdout).toBe('There is no price rule.\n');
    const added = await json('add', ...GPUS, '--from', day(30), '--tool', 'web_search=10');
    expect(added).toMatchObject({ name: 'Our own GPUs', tool_uses: { web_search: 10 } });
    await report(OWN);
    const used = `${added.id}.* provider=vllm +\\$0.2 in, \\$0.6 out, \\$10 per 1,000 web_search +1 +0.26 +0$`;
    expect((await run('list')).stdout).toMatch(new RegExp(used, 'm'));
  });

  it('adds a rule with a price for each class of tokens and for requests', async () => {
    const classes = [
      'input',
      'output',
      'cache_read',
      'cache_write',
      'cache_write_1h',
      'output_image',
      'output_audio',
    ];
    const usd_per_million = Object.fromEntries(classes.map((name, at) => [name, at + 1]));
    const flags = classes.flatMap((name, at) => [`--${name.replaceAll('_', '-')}`, String(at + 1)]);
    const of = ['--name', 'All', '--model', 'all', '--from', day(30), '--per-request', '0.5'];
    expect(await json('add', ...of, ...flags)).toMatchObject({ usd_per_million, per_request_usd: 0.5 });
  });

  it('previews new prices of recorded calls, and applies them only with --apply', async () => {
    await report(OWN, OWN, { ...OWN, model: 'qwen', provider: 'ollama' });
    await json('add', ...GPUS, '--from', day(30));
    const range = ['reprice', '--from', day(2), '--only-unpriced'];
    const preview = await run(...range);
    expect(preview.stdout).toMatch(/^llama-4-70b +2 +2 +0\.000000000 +0\.520000000 +2 +0$/m);
    expect(preview.stdout).toMatch(/^all +3 +2 +0\.000000000 +0\.520000000 +3 +1$/m);
    expect(await repricingRows(ctx).countDocuments({ org_id: fx.orgId, state: 'applying' })).toBe(0);
    const applying = json(...range, '--apply');
    const row = await until(() => repricingRows(ctx).findOne({ org_id: fx.orgId, state: 'applying' }));
    while ((await applyRepricing(ctx, row._id)) !== undefined);
    expect(await applying).toMatchObject({ state: 'applied', changed: 2, applied: 2, unpriced_after: 1 });
  });
});
