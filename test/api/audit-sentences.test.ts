import { expect, test } from 'vitest';
import { SENTENCES, sentenceOf } from '../../packages/dashboard/parts/audit/sentences.ts';
import { TARGET } from '../../packages/dashboard/words/sentence.ts';
import { AUDIT_ACTIONS } from '../../shared/tables/audit-actions.ts';

const words = (action: string, details = {}) =>
  sentenceOf({ action, details })
    .map((part) => (part === TARGET ? 'IT' : typeof part === 'string' ? part : part.value))
    .join('');

test('every action of the audit log has a sentence of its own, also without details', () => {
  expect(Object.keys(SENTENCES).toSorted()).toEqual([...AUDIT_ACTIONS].toSorted());
  const said = AUDIT_ACTIONS.map((action) => words(action));
  for (const sentence of said) expect(sentence).toMatch(/^(?!did )[a-z](?!.*undefined).{8,}$/);
  expect(new Set(said).size).toBe(said.length);
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
  ['signals.hold_above', { tokens: 1_000, cost_usd: null }, 'holds signals above 1,000 tokens or any cost'],
  [
    'signals.void',
    { signal_ids: ['a'], cost_usd: 28_500, reason: '{target}' },
    'voided 1 signal of $28,500.00 in the session IT: {target}',
  ],
  ['an.older.one', {}, 'did an.older.one'],
])('%s %j is a sentence', (action, details, sentence) => {
  expect(words(action, details)).toBe(sentence);
});
