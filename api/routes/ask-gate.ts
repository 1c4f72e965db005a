import { z } from 'zod';
import { noteAsked } from '../../shared/core/limits/enforcement/check/asked.ts';
import { estimateOf } from '../../shared/core/limits/enforcement/check/estimate.ts';
import { noteRefusal } from '../../shared/core/limits/enforcement/check/refused.ts';
import { viewVerdict } from '../../shared/core/limits/enforcement/check/view.ts';
import { reserveInBudgets } from '../../shared/core/limits/enforcement/reserve/reserve.ts';
import type { Caller } from '../../shared/core/limits/enforcement/state/budget-status.ts';
import { nusdFromUsd } from '../../shared/core/pricing/money.ts';
import { DomainError, isCode } from '../../shared/platform/basics/errors.ts';
import { within } from '../../shared/platform/basics/within.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { type ApiKeyPrincipal, reply, route } from '../basics/route.ts';
import { callerOf } from '../schemas/call.ts';
import { gateHeaders, readGateHeaders } from '../schemas/gate-headers.ts';
import { idempotencyKey } from '../schemas/params.ts';

/** How long a proxy waits for the stores. */
const PATIENCE_MS = 1_000;

export const askGate = route({
  method: 'any',
  path: '/gate',
  isPrefix: true,
  summary: 'Ask for a call on its way through a proxy',
  description:
    'For `ext_authz`, `auth_request` and `forwardAuth`: reserves the cost of the call that the headers describe. Method, path, ' +
    'query and body of the request are not read. 200 lets the call pass, 403 `budget_refused` stops it, and 503 leaves it to ' +
    "the proxy's own setting. `X-Governor-Key` goes before `Authorization`.",
  tag: 'Budgets',
  auth: { kind: 'api-key', scope: 'budgets:check', fromMemory: true, keyHeader: 'x-governor-key' },
  priority: 'consume',
  requestHeaders: gateHeaders,
  success: {
    status: 200,
    description: 'The call may pass',
    body: z.strictObject({}),
    headers: {
      'X-Governor-Reservation': 'The reservation, for the signal that reports the call',
      'Idempotent-Replayed': '`true`: an earlier call with this `X-Governor-Request-Id` made the reservation',
    },
  },
  errors: ['budget_refused', 'rebuilding', 'idempotency_key_reused'],
  handle: async ({ principal, request }, ctx) => {
    noteAsked(ctx, principal.orgId, 'gate');
    const asked = readGateHeaders((name) => request.header(name));
    const caller = callerOf(principal, asked);
    const key = idempotencyKey(asked.request_id);
    const { estimateNusd, reservation } = await within(
      PATIENCE_MS,
      'A reservation at the gate',
      gateEstimate(ctx, caller, asked).then(async (estimate) => ({
        estimateNusd: estimate,
        reservation: await reserveInBudgets(ctx, caller, {
          estimateNusd: estimate,
          ttlS: asked.ttl_s,
          by: { keyId: principal.keyId, isBound: principal.userId !== null },
          needsUser: true,
          key: key === null ? null : { sender: principal.keyId, key, sent: asked },
        }),
      })),
    ).catch(refuseSilence);
    if (reservation.id === null) {
      const { verdict } = reservation;
      noteRefusal(ctx, caller, verdict, {
        way: 'gate',
        estimateNusd,
        clientSession: asked.client_session_id,
      });
      throw refusal(ctx, principal, verdict);
    }
    return reply('{}', {
      'X-Governor-Reservation': reservation.id,
      ...(reservation.isRepeat ? { 'Idempotent-Replayed': 'true' } : {}),
    });
  },
});

/** A proxy takes a store that does not answer in one way. Redis may hold an amount all the same, which ends after its time. */
function refuseSilence(error: unknown): never {
  if (!isCode(error, 'outcome_unknown')) throw error;
  throw new DomainError(
    'store_unavailable',
    'Redis did not answer. If it holds an amount, that ends after its time.',
  );
}

/** A call whose cost nobody knows counts as `GATE_ESTIMATE_USD`. */
async function gateEstimate(ctx: Context, caller: Caller, asked: ReturnType<typeof readGateHeaders>) {
  return (await estimateOf(ctx, caller, asked)) ?? nusdFromUsd(ctx.config.gateEstimateUsd) ?? 0;
}

function refusal(ctx: Context, principal: ApiKeyPrincipal, verdict: Parameters<typeof viewVerdict>[0]) {
  const { reason, refused_by, retry_at } = viewVerdict(verdict, principal);
  const waitMs = retry_at === null ? null : Date.parse(retry_at) - ctx.clock.now();
  return new DomainError('budget_refused', reason ?? 'A budget refuses this call.', {
    refused_by,
    retry_at,
    ...(waitMs === null ? {} : { retry_after_s: Math.max(1, Math.ceil(waitMs / 1_000)) }),
  });
}
