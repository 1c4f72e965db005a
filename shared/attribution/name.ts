import { createHmac } from 'node:crypto';
import { base62 } from '../platform/basics/ids.ts';
import type { Context } from '../platform/context/context.ts';
import { perContext } from '../platform/context/per-context.ts';

/** A name of a branch or a task: the keyed hash that finds it, and the text that is shown. */
export interface Name {
  hash: string;
  text: string;
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
