import { hashRows } from '../../core/accounts/organizations/hash-rows.ts';
import type { Wing } from '../../core/hooks/wing.ts';
import { eraseHeldText } from './erase-held.ts';
import { exportHeld } from './export-held.ts';
import { heldRows } from './model.ts';

export const held: Wing = {
  name: 'held',
  person: { erase: eraseHeldText, export: exportHeld },
  organization: { hashNames: (ctx, orgId) => hashRows(ctx, orgId, heldRows) },
};
