import { type Fields, TIME } from './field.ts';

/** Fields of signals and interventions. */
export const signals: Fields = {
  type: ['The type', 'call'],
  ts: ['When it happened', TIME],
  error: ['What went wrong; absent when nothing did', { code: 'rate_limited' }, 'invalid_grant', null],
  code: ['A stable code for programs', 'rate_limited', 3],
  message: ['What went wrong, in words', 'Too many requests'],
  detail: ['What went wrong, in words', 'tokens_in must be a whole number'],
  latency_ms: ['How long it took, in milliseconds', 812],
  tool_name: ['The tool that the model called', 'bash'],
  metadata: ['At most 32 pairs of text of your own', { branch: 'main' }],
  intervention: [
    'What a policy gate decided',
    { kind: 'tool_permission', verdict: 'deny', action: 'block', source: 'config' },
  ],
  kind: ['What sort of thing it is', 'tool_permission'],
  verdict: ['What the gate said', 'deny'],
  action: ['What happened', 'block'],
  source: ['Who decided', 'config'],
  policy_id: ['The policy that decided', 'no-prod-writes'],
  rule_id: ['The rule of the policy', 'rule-7'],
  reason: ['Why', 'receipt', 'Writes to production are not allowed', null],
  severity: ['How serious it is', 'high'],
  results: ['One result per signal, in the order of the request'],
};
