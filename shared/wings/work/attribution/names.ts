import { createHmac } from 'node:crypto';
import type { Name, Place } from '../../../core/calls/signals/place.ts';
import { base62 } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { boundedCache, perContext } from '../../../platform/context/per-context.ts';
import type { Parts } from './decide-work.ts';

/** Names of branches and tasks may be secret, so no key is made of them without a secret of the deployment. */
const secret = perContext(({ config }) =>
  createHmac('sha256', config.apiKeyPepper).update('keys of works, client sessions and branches').digest(),
);

function keyed(ctx: Context, ...parts: readonly (string | number)[]): Buffer {
  return createHmac('sha256', secret(ctx)).update(JSON.stringify(parts)).digest();
}

/** Bytes of a key: 144 bits, 24 characters. */
const KEY_BYTES = 18;

function keyText(ctx: Context, ...parts: readonly (string | number)[]): string {
  return keyed(ctx, ...parts).toString('base64url', 0, KEY_BYTES);
}

const nameKey = perContext(({ config }) =>
  createHmac('sha256', config.apiKeyPepper).update('names of branches and tasks').digest(),
);

/** A plain name with its hash: `h_` and 22 characters of base62, another one in each organization. */
export function plainName(ctx: Context, orgId: string, text: string): Name {
  const digest = createHmac('sha256', nameKey(ctx))
    .update(JSON.stringify([orgId, text]))
    .digest();
  return { hash: `h_${base62(digest.subarray(0, 16), 22)}`, text };
}

/** A place with the hash of its branch. */
export function placeOf(ctx: Context, orgId: string, repository: string, branch: string | undefined): Place {
  return branch === undefined ? { repository } : { repository, branch: plainName(ctx, orgId, branch) };
}

/** Keys of client sessions: each has many calls. */
const sessionKeys = boundedCache<string, string>({ max: 10_000 });

/** The key of a client session: signals and contexts of one have the same. */
export function clientSessionKey(ctx: Context, orgId: string, clientSessionId: string): string {
  const name = `${orgId} ${clientSessionId}`;
  const known = sessionKeys(ctx).get(name);
  if (known !== undefined) return known;
  const key = keyText(ctx, 'client session', orgId, clientSessionId);
  sessionKeys(ctx).set(name, key);
  return key;
}

/** The key of a branch of a repository, by the hash of its name. Its boundaries, renames and pull requests have it. */
export function branchKey(ctx: Context, orgId: string, repository: string, branchHash: string): string {
  return keyText(ctx, 'branch', orgId, repository, branchHash);
}

/** The id of a work: equal parts and an equal stretch give the same, also once names are hashed. */
export function workId(ctx: Context, orgId: string, { place, task }: Parts, stretchMs: number): string {
  const { repository = '', branch } = place ?? {};
  return keyText(ctx, 'work', orgId, repository, branch?.hash ?? '', stretchMs, task?.hash ?? '');
}

/** The id of a context: equal content gives the same. */
export function contextId(ctx: Context, orgId: string, ...content: readonly (string | number)[]): string {
  return keyText(ctx, 'context', orgId, ...content);
}

/** The id of a boundary: one branch is renamed to one name at a moment, and ends at it, once each. */
export function boundaryId(ctx: Context, branch: string, atMs: number, renamedTo: string): string {
  return keyText(ctx, 'boundary', branch, atMs, renamedTo);
}

const HASH = /^h_[0-9A-Za-z]{22}$/;

/** The hashes that a filter may mean by a text: that of the name, and the text itself where it looks like a hash. */
export function hashesMeant(ctx: Context, orgId: string, text: string): string[] {
  const { hash } = plainName(ctx, orgId, text);
  return HASH.test(text) ? [text, hash] : [hash];
}
