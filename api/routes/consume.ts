import { z } from 'zod';
import { noteDeviceAddress } from '../../shared/core/accounts/devices/addresses.ts';
import { BUCKETS } from '../../shared/core/credits/buckets.ts';
import { spendCredit } from '../../shared/core/credits/ledger/spend.ts';
import { text } from '../../shared/platform/basics/text.ts';
import { reply, route } from '../basics/route.ts';
import { requiredIdempotencyKey } from '../schemas/params.ts';

const credits = z.int().min(0);

export const consume = route({
  method: 'post',
  path: '/v1/meter/consume',
  summary: 'Spend one credit for one signed output',
  description:
    'Takes one credit from the first bucket that has one (window, monthly, paid, granted) and answers a signed receipt. ' +
    'Repeating the request with the same `Idempotency-Key` gives the same bytes until `Idempotency-Expires`. ' +
    '503 promises that nothing was written; after 504, repeat with the same key.',
  tag: 'Credits',
  auth: { kind: 'device' },
  priority: 'consume',
  bodyBytes: 4_096,
  needsIdempotencyKey: true,
  body: z.strictObject({
    output_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits')
      .describe('SHA-256 of the output to be signed'),
    kind: text(64).optional().describe('Kind of output'),
  }),
  success: {
    status: 200,
    description: 'One credit was taken',
    body: z.strictObject({
      receipt: z.string().describe('Compact JWS (Ed25519); its keys are at /.well-known/jwks.json'),
      delta: z.literal(-1),
      bucket: z.enum(BUCKETS),
      reason: z.literal('receipt'),
      balance: z.strictObject({ window: credits, monthly: credits, paid: credits, granted: credits }),
      created_at: z.int().describe('Unix seconds'),
    }),
  },
  errors: ['insufficient_credits', 'signing_unavailable', 'rebuilding', 'backpressure'],
  handle: async ({ principal, body, request }, ctx) => {
    const { accountId, tokenId, tokenHmac } = principal;
    const idempotencyKey = requiredIdempotencyKey(request.header('idempotency-key'));
    const { output_sha256: outputSha256, kind } = body;
    const spend = { accountId, tokenId, tokenHmac, idempotencyKey, outputSha256, kind };
    const spent = await spendCredit(ctx, spend);
    noteDeviceAddress(ctx, principal, request.address);
    return reply(spent.answer, {
      'Idempotency-Expires': String(spent.expiresS),
      ...(spent.replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    });
  },
});
