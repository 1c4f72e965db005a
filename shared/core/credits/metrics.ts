import { counter, gauge } from '../../platform/basics/metrics.ts';

export const spendsDecided = counter({
  name: 'governor_spends_total',
  help: 'Spends of a credit by the answer of the script.',
  labelNames: ['outcome'],
});

export const ledgerRowsWritten = counter({
  name: 'governor_ledger_rows_total',
  help: 'Ledger rows written.',
});

export const ledgerLag = gauge({
  name: 'governor_ledger_lag_seconds',
  help: 'Age of the oldest spend that the ledger does not have yet. Alert above 1.',
});

export const stalledShards = gauge({
  name: 'governor_ledger_stuck_shards',
  help: 'Shards whose ledger is stalled: an entry cannot be read or written, or the ledger belongs to another Redis. Alert above 0.',
});

export const pausedShards = gauge({
  name: 'governor_credit_shards_shut',
  help: 'Shards that refuse spends until they are checked against the ledger or rebuilt.',
});

export const creditDrift = gauge({
  name: 'governor_credit_drift_accounts',
  help: 'Accounts whose ledger does not add up to their balance, as last reconciled. Alert above 0.',
});

export const creditPlansRepaired = counter({
  name: 'governor_credit_plans_repaired_total',
  help: 'Accounts that had another plan than their organization and were put on it.',
});

export const purchaseEvents = counter({
  name: 'governor_credit_purchase_events_total',
  help: 'Stripe events by outcome. Alert when `refused` or `failed` grows: a person has paid.',
  labelNames: ['outcome'],
  shown: [{ outcome: 'refused' }, { outcome: 'failed' }],
});
