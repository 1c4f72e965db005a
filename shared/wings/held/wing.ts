import { hashRows } from '../../core/accounts/organizations/hash-rows.ts';
import type { Wing } from '../../core/hooks/wing.ts';
import { HELD_ACTIONS } from './actions.ts';
import { eraseHeldText } from './erase-held.ts';
import { exportHeld } from './export-held.ts';
import { findAbove, holdSignals } from './hold-signals.ts';
import * as jobs from './jobs.ts';
import * as metrics from './metrics.ts';
import { heldRetention, heldRows } from './model.ts';
import { organizationFields, settings } from './settings.ts';

export const held: Wing = {
  name: 'held',
  collections: [heldRows],
  jobs: Object.values(jobs),
  metrics: Object.values(metrics),
  retention: [heldRetention],
  actions: HELD_ACTIONS,
  person: { erase: eraseHeldText, export: exportHeld },
  calls: { doubt: findAbove, keepOut: holdSignals },
  organization: { hashNames: (ctx, orgId) => hashRows(ctx, orgId, heldRows) },
  fields: { organizations: organizationFields },
  settings,
};
