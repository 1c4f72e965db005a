import { z } from 'zod';
import { findAccount } from '../../shared/core/credits/ledger/ensure-account.ts';
import { grantAudited } from '../../shared/core/credits/ledger/grant-credits.ts';
import { ledgerTransaction } from '../../shared/core/credits/ledger/transaction.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { reply, route } from '../basics/route.ts';
import { requiredIdempotencyKey } from '../schemas/params.ts';

export const grantCredits = route({
  method: 'post',
  path: '/admin/credits',
  summary: 'Add paid or granted credits to a member',
  description: 'Needs an `Idempotency-Key`: repeating the request with it adds nothing, for ever.',
  tag: 'Operations',
  auth: { kind: 'operator' },
  priority: 'ingest',
  needsIdempotencyKey: true,
  body: z.strictObject({
    org_id: text(128),
    user_id: text(256),
    bucket: z.enum(['paid', 'granted']),
    amount: z.int().min(1).max(1_000_000_000),
    expires_at: z.int().min(1).max(253_402_300_799).optional().describe('Unix seconds; without it, never'),
  }),
  success: {
    status: 201,
    description: 'The ledger row',
    body: ledgerTransaction,
    headers: { 'Idempotent-Replayed': '`true` when the credits had been added before' },
  },
  errors: ['not_found', 'conflict', 'rebuilding'],
  handle: async ({ body, request }, ctx) => {
    const idempotencyKey = requiredIdempotencyKey(request.header('idempotency-key'));
    const { org_id, user_id, bucket, amount, expires_at } = body;
    const accountId = await findAccount(ctx, org_id, user_id);
    const { transaction, replayed } = await grantAudited(
      ctx,
      { org_id, user_id },
      { accountId, bucket, amount, expires_at, idempotencyKey },
    );
    return reply(JSON.stringify(transaction), replayed ? { 'Idempotent-Replayed': 'true' } : {});
  },
});
