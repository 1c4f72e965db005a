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

describe.each(['people', 'operators'] as const)('governor prices of the command line of %s', (who) => {
  const line = () => commandLine({ GOVERNOR_API: fx.api.url, GOVERNOR_API_KEY: fx.key }, who);
  const run = (...args: string[]) => line().run('prices', ...args);
  const json = (...args: string[]) => line().governor('prices', ...args);
  const failure = async (...args: string[]) => (await line().failure('prices', ...args)).stderr;

  it('adds, lists and ends rules, with whole ids and what they changed', async () => {
    expect((await run('list')).stdout).toBe('There is no price rule.\n');
    const added = await json('add', ...GPUS, '--from', day(30), '--tool', 'web_search=10');
    const prices = { usd_per_million: { input: 0.2, output: 0.6 }, tool_uses: { web_search: 10 } };
    const match = { provider: 'vllm', model: null };
    expect(added).toMatchObject({ name: 'Our own GPUs', match, ...prices });
    const discount = ['--from', day(30), '--model', 'claude-*', '--discount', '12.5'];
    const contract = await run('add', '--name', 'Contract', ...discount);
    expect(contract.stdout).toMatch(/^id .*\nprl_\S+ +Contract .* model=claude-\* +12.5 % off\n$/);
    await report(OWN);
    const used = `${added.id}.* provider=vllm +\\$0.2 in, \\$0.6 out +1 +0.26 +0$`;
    expect((await run('list')).stdout).toMatch(new RegExp(used, 'm'));
    const names = (await json('list')).rules.map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(['Contract', 'Our own GPUs']);
    expect((await run('end', added.id, '--at', day(1))).stdout).toContain(`${day(1)} 00:00Z`);
    expect(await json('end', added.id)).toMatchObject({ to: expect.stringMatching(/^\d{4}-/) });
  });

  it('quotes a call with its rule and its parts, and says when there is no price', async () => {
    const call = ['quote', '--model', OWN.model, '--provider', OWN.provider, '--tokens-in', '1000000'];
    expect((await run(...call)).stdout).toContain('The call has no price');
    const { id } = await json('add', ...GPUS, '--from', day(30));
    const { stdout } = await run(...call);
    expect(stdout).toContain(`$0.200000000, by the price rule Our own GPUs (${id}).`);
    expect(stdout).toMatch(/^input +0\.200000000$/m);
    expect(await json(...call)).toMatchObject({ cost_usd: 0.2, rule: { id } });
    const listed = ['--model', 'claude-opus-4-8', '--tokens-in', '100000', '--tokens-out', '10000'];
    expect((await run('quote', ...listed)).stdout).toContain('$0.750000000, by the list price.');
  });

  it('previews new prices of recorded calls, and applies them only with --apply', async () => {
    await report(OWN, OWN, { ...OWN, model: 'qwen', provider: 'ollama' });
    await json('add', ...GPUS, '--from', day(30));
    const range = ['reprice', '--from', day(2), '--only-unpriced'];
    const preview = await run(...range);
    expect(preview.stdout).toContain('2 of 3 calls change their price.');
    expect(preview.stdout).toMatch(/^llama-4-70b +2 +2 +0\.000000000 +0\.520000000 +2 +0$/m);
    expect(preview.stdout).toMatch(/^all +3 +2 +0\.000000000 +0\.520000000 +3 +1$/m);
    expect(preview.stdout).toMatch(/Nothing has changed yet \(rpc_\S+\)\. Repeat the command with --apply\./);
    expect(await repricingRows(ctx).countDocuments({ org_id: fx.orgId, state: 'applying' })).toBe(0);
    const applying = json(...range, '--apply');
    const row = await until(() => repricingRows(ctx).findOne({ org_id: fx.orgId, state: 'applying' }));
    while ((await applyRepricing(ctx, row._id)) !== undefined);
    expect(await applying).toMatchObject({ state: 'applied', changed: 2, applied: 2, unpriced_after: 1 });
  });

  it('says what the api refuses, and what is missing', async () => {
    expect(await failure('add', '--name', 'Nothing', '--from', day(1))).toContain(
      'exactly one of discount_percent, usd_per_million and free is needed',
    );
    expect(await failure('end', 'prl_none')).toContain('There is no such price rule.');
    expect(await failure('reprice', '--from', day(60))).toContain('35 days');
    expect(await failure('add', ...GPUS)).toContain('--from');
    expect(await failure('quote', '--tokens-in', '1.5')).toContain('It must be a whole number.');
  });

  it.each(['list', 'add', 'end', 'quote', 'reprice'])('%s has an example in its help', async (name) => {
    const { stdout } = await run(name, '--help');
    expect(stdout).toMatch(new RegExp(`Example:\n  governor prices ${name}\\b`));
  });
});
