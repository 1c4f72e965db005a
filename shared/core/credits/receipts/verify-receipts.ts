import { createLocalJWKSet, jwtVerify, type LocalJWKSet } from 'jose';
import { z } from 'zod';
import { inBatches } from '../../../platform/basics/in-batches.ts';

export interface Verification {
  good: number;
  bad: { line: number; problem: string }[];
}

const keySet = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), kid: z.string() })),
});
const answer = z.looseObject({ receipt: z.string() });
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
  const check = async ({ text, line }: NumberedLine) => ({ line, problem: await findProblem(text, keys) });
  for await (const { line, problem } of inBatches(filledLines(lines), PARALLEL, check)) {
    if (problem === null) result.good += 1;
    else result.bad.push({ line, problem });
  }
  return result;
}

interface NumberedLine {
  text: string;
  /** From 1; empty lines count. */
  line: number;
}

async function* filledLines(lines: readonly string[] | AsyncIterable<string>): AsyncGenerator<NumberedLine> {
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() !== '') yield { text: text.trim(), line };
  }
}

async function findProblem(text: string, keys: LocalJWKSet): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(receiptOf(text), keys, {
      typ: 'usage-receipt+jwt',
      algorithms: ['Ed25519'],
    });
    return claims.safeParse(payload).success ? null : 'Its claims are not those of a receipt.';
  } catch (error) {
    return String((error as Error).message);
  }
}

function receiptOf(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    return answer.parse(JSON.parse(line)).receipt;
  } catch (cause) {
    throw new Error('This is neither a receipt nor an answer that has one.', { cause });
  }
}
