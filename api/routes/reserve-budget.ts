import { z } from 'zod';
import { noteAsked } from '../../shared/core/limits/enforcement/check/asked.ts';
import { estimateOf } from '../../shared/core/limits/enforcement/check/estimate.ts';
import { noteRefusal } from '../../shared/core/limits/enforcement/check/refused.ts';
import { checkAnswer, viewVerdict } from '../../shared/core/limits/enforcement/check/view.ts';
import { reserveInBudgets } from '../../shared/core/limits/enforcement/reserve/reserve.ts';
import { reply, route } from '../basics/route.ts';
import { callerOf, reserveInput } from '../schemas/call.ts';
import { idempotencyKey } from '../schemas/params.ts';

const answer = z.union([
  z.strictObject({ reservation_id: z.string(), allow: z.literal(true) }),
  checkAnswer.extend({ reservation_id: z.null(), allow: z.literal(false) }),
]);

export const reserveBudget = route({
  method: 'post',
  path: '/api/v1/budgets/reserve',
  summary: 'Reserve what a call will cost',
  description:
    'Holds the estimate in every `hard` budget of `cost_usd` that the call counts in, in all of them or in none. A signal ' +
    'with this `reservation_id` settles it: the real cost replaces the estimate. Otherwise it ends after `ttl_s`. 503 ' +
    'promises that nothing was reserved; after 504, repeat with the same `Idempotency-Key`.',
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:check', fromMemory: true },
  priority: 'consume',
  bodyBytes: 8_192,
  takesIdempotencyKey: true,
  body: reserveInput,
  success: { status: 200, description: 'The reservation, or why there is none', body: answer },
  errors: ['rebuilding'],
  handle: async ({ principal, body, request }, ctx) => {
    noteAsked(ctx, principal.orgId, 'reserve');
    const key = idempotencyKey(request.header('idempotency-key'));
    const caller = callerOf(principal, body);
    const estimateNusd = await estimateOf(ctx, caller, body);
    const reservation = await reserveInBudgets(ctx, caller, {
      estimateNusd,
      ttlS: body.ttl_s,
      by: { keyId: principal.keyId, isBound: principal.userId !== null },
      key: key === null ? null : { sender: principal.keyId, key, sent: body },
    });
    const { id } = reservation;
    if (id === null) {
      const { verdict } = reservation;
      noteRefusal(ctx, caller, verdict, {
        way: 'reserve',
        estimateNusd,
        clientSession: body.client_session_id,
      });
      return { ...viewVerdict(verdict, principal), reservation_id: null, allow: false as const };
    }
    const made = { reservation_id: id, allow: true as const };
    if (key === null) return made;
    return reply(JSON.stringify(made), {
      'Idempotency-Expires': String(Math.floor(reservation.endsMs / 1_000)),
      ...(reservation.isRepeat ? { 'Idempotent-Replayed': 'true' } : {}),
    });
  },
});
