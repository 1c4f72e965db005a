import { createLocalJWKSet, jwtVerify, type LocalJWKSet } from 'jose';
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

/** Lines that are checked at the same time. */
const PARALLEL = 64;

/**
 * Checks receipts against a JWK set: a line each, the compact JWS or the answer that it came in. Asks nobody. Memory
 * grows with the bad lines only.
 */
export async function verifyReceipts(
  lines: readonly string[] | AsyncIterable<string>,
  jwks: unknown,
): Promise<Verification> {
  const keys = createLocalJWKSet(keySet.parse(jwks));
  const result: Verification = { good: 0, bad: [] };
  let batch: Promise<void>[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    batch.push(verifyLine(line.trim(), number, keys, result));
    if (batch.length < PARALLEL) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  result.bad.sort((left, right) => left.line - right.line);
  return result;
}

async function verifyLine(
  text: string,
  line: number,
  keys: LocalJWKSet,
  result: Verification,
): Promise<void> {
  try {
    const { payload } = await jwtVerify(receiptOf(text), keys, {
      typ: 'usage-receipt+jwt',
      algorithms: ['Ed25519'],
    });
    claims.parse(payload);
    result.good += 1;
  } catch (error) {
    result.bad.push({ line, problem: String((error as Error).message) });
  }
}

function receiptOf(line: string): string {
  if (!line.startsWith('{')) return line;
  return z.looseObject({ receipt: z.string() }).parse(JSON.parse(line)).receipt;
}
