import { z } from 'zod';
import { SIGNALS_PER_REQUEST } from '../../shared/contract.ts';
import { signalInput, signalResult } from '../../shared/signals/input.ts';
import { recordSignals } from '../../shared/signals/record-signals.ts';
import { route } from '../route.ts';

const oneSignal = z.looseObject({ id: z.unknown() }).meta({ title: 'One signal' });
const batch = z.strictObject({
  signals: z
    .array(z.unknown())
    .min(1)
    .max(SIGNALS_PER_REQUEST, `may hold ${SIGNALS_PER_REQUEST} signals`)
    .meta({ items: z.toJSONSchema(signalInput, { io: 'input', unrepresentable: 'any' }) }),
});

export const postSignals = route({
  method: 'post',
  path: '/api/v1/signals',
  summary: 'Record signals',
  description:
    'One signal, or `{ "signals": [...] }` with at most 1,000. Answers one result per signal, in order: a bad one is ' +
    '`rejected` with its reason and never loses the others. Sending a signal again changes nothing.',
  tag: 'Signals',
  auth: { kind: 'api-key', scope: 'signals:write' },
  priority: 'ingest',
  body: z.union([batch, oneSignal]),
  success: {
    status: 200,
    description: 'What became of each signal',
    body: z.strictObject({ results: z.array(signalResult) }),
  },
  errors: ['store_unavailable'],
  handle: async ({ principal, body }, ctx) => {
    const posted = 'signals' in body ? (body.signals as unknown[]) : [body];
    const sender = {
      orgId: principal.orgId,
      boundUserId: principal.userId,
      defaultProjectId: principal.projectId,
    };
    return { results: await recordSignals(ctx, sender, posted) };
  },
});
