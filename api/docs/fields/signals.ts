import { type Fields, TIME } from './field.ts';

/** Fields of signals and interventions. */
export const signals: Fields = {
  type: ['The type', 'call'],
  ts: ['When it happened', TIME],
  error: ['Error of the call; absent when it succeeded', { code: 'rate_limited' }, 'invalid_grant', null],
  code: ['A stable code for programs', 'rate_limited', 3],
  message: ['Explanation in words', 'Too many requests'],
  detail: ['Explanation in words', 'tokens_in must be a whole number'],
  latency_ms: ['How long it took, in milliseconds', 812],
  tool_name: ['The tool that the model called', 'bash'],
  metadata: ['At most 32 pairs of text of your own', { branch: 'main' }],
  intervention: [
    'Decision of a policy gate',
    { kind: 'tool_permission', verdict: 'deny', action: 'block', source: 'config' },
  ],
  kind: ['Kind', 'tool_permission'],
  verdict: ['Verdict of the gate', 'deny'],
  action: ['Action that was taken', 'block'],
  source: ['Source of the decision', 'config'],
  policy_id: ['The policy that decided', 'no-prod-writes'],
  rule_id: ['The rule of the policy', 'rule-7'],
  reason: ['Why', 'receipt', 'Writes to production are not allowed', null],
  severity: ['How serious it is', 'high'],
  results: ['One result per signal, in the order of the request'],
};
