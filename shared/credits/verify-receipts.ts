import { createLocalJWKSet, jwtVerify } from 'jose';
import { z } from 'zod';

export interface Verification {
  good: number;
  bad: { line: number; problem: string }[];
}

const keySet = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), kid: z.string() })),
});
const claims = z.looseObject({
  sub: z.string(),
  org: z.string(),
  dev: z.string(),
  jti: z.string(),
  bucket: z.string(),
  delta: z.literal(-1),
  out: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Checks receipts against a JWK set: a line each, the compact JWS or the answer that it came in. Asks nobody. */
export async function verifyReceipts(text: string, jwks: unknown): Promise<Verification> {
  const keys = createLocalJWKSet(keySet.parse(jwks));
  const result: Verification = { good: 0, bad: [] };
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const { payload } = await jwtVerify(receiptOf(line.trim()), keys, {
        typ: 'usage-receipt+jwt',
        algorithms: ['Ed25519'],
      });
      claims.parse(payload);
      result.good += 1;
    } catch (error) {
      result.bad.push({ line: index + 1, problem: String((error as Error).message) });
    }
  }
  return result;
}

function receiptOf(line: string): string {
  if (!line.startsWith('{')) return line;
  return z.looseObject({ receipt: z.string() }).parse(JSON.parse(line)).receipt;
}
