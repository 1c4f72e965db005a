import { expect, test } from 'vitest';
import { SENTENCES, sentenceOf } from '../../packages/dashboard/parts/audit/sentences.ts';
import { type Part, PERSON, TARGET } from '../../packages/dashboard/words/sentence.ts';
import { AUDIT_ACTIONS } from '../../shared/tables/audit-actions.ts';

const words = (action: string, details = {}) => sentenceOf({ action, details }).map(wordsOf).join('');

function wordsOf(part: Part): string {
  if (part === TARGET) return 'IT';
  if (part === PERSON) return 'ADA';
  return typeof part === 'string' ? part : part.value;
}

test('every action of the audit log has a sentence of its own, also without details', () => {
  expect(Object.keys(SENTENCES).toSorted()).toEqual([...AUDIT_ACTIONS].toSorted());
  const said = AUDIT_ACTIONS.map((action) => words(action));
  for (const sentence of said) expect(sentence).toMatch(/^(?!did )[a-z](?!.*undefined).{8,}$/);
  expect(new Set(said).size).toBe(said.length);
});

/** A value of each detail that any action has. */
const DETAILS = {
  role: 'admin',
  plan: 'team',
  teams: ['core', 'web'],
  scopes: ['usage:read', 'exports:write'],
  events: ['budget.warning'],
  changed: ['alert_at', 'name'],
  metric: 'cost_usd',
  threshold: 40,
  window: 'monthly',
  enforce: 'hard',
  signal_ids: ['a', 'b'],
  held_ids: ['c'],
  signals: 3,
  tokens: 1_000,
  cost_usd: 2.5,
  reason: 'a double',
  amount: 20,
  granted_amount: 10,
  bucket: 'paid',
  repaired: 2,
  queued: 5,
  exempt: false,
  until: '2031-01-15T12:00:00.000Z',
  month: '2031-01',
  of: 'person',
  provider: 'github',
  number: 12,
  repository: 'github.com/acme/shop',
  name: 'Ours',
};

test('each action is a whole sentence, without details and with them', async () => {
  const said = AUDIT_ACTIONS.toSorted().map(
    (action) => `${action}\n  ${words(action)}\n  ${words(action, DETAILS)}\n`,
  );
  await expect(said.join('')).toMatchFileSnapshot('audit-sentences.txt');
});

test.each([
  ['member.add', { user_id: 'tom', role: 'admin' }, 'invited IT as admin'],
  [
    'member.change',
    { user_id: 'tom', role: 'admin', teams: ['core', 'web'], kept: [] },
    'changed the member IT: role: admin, teams: core, web',
  ],
  [
    'budget.create',
    { metric: 'cost_usd', threshold: 40, window: 'monthly', enforce: 'hard' },
    'created the budget IT: $40.00, monthly, refuses calls',
  ],
  [
    'budget.change',
    { metric: 'tokens_in', threshold: 1_500, window: 'daily', enforce: 'soft' },
    'changed the budget IT: 1,500 tokens in, daily, only warns',
  ],
  ['signals.hold_above', { tokens: 1_000, cost_usd: null }, 'holds calls above 1,000 tokens or any cost'],
  [
    'signals.void',
    { signal_ids: ['a'], cost_usd: 28_500, reason: '{target}' },
    'voided 1 call of $28,500.00 in the session IT: {target}',
  ],
  ['webhook.update', { changed: ['enabled'], enabled: false }, 'paused the webhook IT'],
  ['webhook.update', { changed: ['enabled'], enabled: true }, 'resumed the webhook IT'],
  ['webhook.update', { changed: ['enabled'] }, 'changed enabled of the webhook IT'],
  ['webhook.update', { changed: ['alert_at', 'name'] }, 'changed alert at, name of the webhook IT'],
  ['device.link', { account_id: 'usr_1', device_id: 'dev_1' }, 'linked the device IT of ADA'],
  [
    'raise.approve',
    { user_id: 'ada', metric: 'cost_usd', granted_amount: 20 },
    'approved $20.00 more of the budget IT for ADA',
  ],
  ['raise.ask', { metric: 'signals', amount: 2_000 }, 'asked for 2,000 calls more of the budget IT'],
  ['an.older.one', {}, 'did an.older.one'],
])('%s %j is a sentence', (action, details, sentence) => {
  expect(words(action, details)).toBe(sentence);
});
