import { randomUUID } from 'node:crypto';
import { within } from '../../platform/basics/within.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Bucket } from '../buckets.ts';
import { signerOf } from '../receipts/signer.ts';
import { cachedAccounts, cachedDevices, predictBucket } from './account-cache.ts';

/** Sent in place of a bucket when there is no receipt: to ask which one is next, or to get the answer of a repeat only. */
const ASK = '?';
const REPLAY_ONLY = '';

const SIGNING_MS = 300;

/** A receipt that is signed before it is known whether the credit can be spent. */
export interface PreparedReceipt {
  bucket: Bucket | typeof ASK | typeof REPLAY_ONLY;
  jws: string;
}

export interface ReceiptRequest {
  accountId: string;
  tokenId: string;
  outputSha256: string;
  kind?: string | undefined;
  /** Hash of the idempotency key. */
  idk: string;
}

/**
 * Signs the receipt for the bucket that the account cache predicts. Never throws: without an entry in the cache it asks,
 * without a signature within 300 ms only a repeat can be answered.
 */
export async function prepareReceipt(
  ctx: Context,
  request: ReceiptRequest,
  nowMs: number,
): Promise<PreparedReceipt> {
  const account = cachedAccounts(ctx).get(request.accountId);
  const device = cachedDevices(ctx).get(request.tokenId);
  const signer = signerOf(ctx);
  if (signer.publicKey() === null) return { bucket: REPLAY_ONLY, jws: '' };
  if (!account || device === undefined) return { bucket: ASK, jws: '' };
  const bucket = predictBucket(account, nowMs);
  const claims = {
    iss: ctx.config.baseUrl ?? 'urn:usage-governor',
    sub: account.user,
    org: account.org,
    dev: device,
    jti: randomUUID(),
    iat: Math.floor(nowMs / 1_000),
    bucket,
    delta: -1,
    out: request.outputSha256,
    idk: request.idk,
    ...(request.kind === undefined ? {} : { kind: request.kind }),
  };
  try {
    const signed = signer.sign(claims);
    return { bucket, jws: typeof signed === 'string' ? signed : await within(SIGNING_MS, 'Signing', signed) };
  } catch (error) {
    ctx.log.error({ err: error }, 'a receipt could not be signed');
    return { bucket: REPLAY_ONLY, jws: '' };
  }
}
