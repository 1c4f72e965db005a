import { credentialIdOf } from '../../shared/core/accounts/keys/credential.ts';
import { getKey } from '../../shared/core/accounts/keys/manage-keys.ts';
import { viewKey } from '../../shared/core/accounts/keys/view.ts';
import type { Creates } from '../basics/route.ts';

/** A key that a person makes: a repeat names it, because the key itself was shown only once. */
export const createdKey: Creates<{ kind: 'idp' }> = {
  prefix: 'key',
  idOf: credentialIdOf,
  holdsSecret: true,
  get: async (principal, id, ctx) => viewKey(await getKey(ctx, principal, id)),
};
