import type { AuditActions } from '../../../../shared/core/accounts/audit/actions.ts';
import type {} from '../../../../shared/wings/held/actions.ts';
import type { AuditedWing } from '../../hooks/wing.ts';
import { clause, counted, dollars, foreign, length, type Sentences } from '../../words/sentence.ts';

const sentences: Sentences<AuditActions['held']> = {
  'signals.hold_above': ({ tokens, cost_usd }) => [
    'holds calls above ',
    tokens === null || tokens === undefined ? 'any number of tokens' : counted(tokens, 'token', 'tokens'),
    ' or ',
    cost_usd === null || cost_usd === undefined ? 'any cost' : foreign(dollars(cost_usd)),
  ],
  'signals.release': ({ held_ids, cost_usd }) => [
    'released ',
    counted(length(held_ids), 'held call', 'held calls'),
    ...clause(' of ', dollars(cost_usd)),
  ],
  'signals.discard': ({ held_ids }) => ['discarded ', counted(length(held_ids), 'held call', 'held calls')],
};

export const held: AuditedWing = { sentences };
