import { counter, gauge } from '../../platform/basics/metrics.ts';

export const ledgerRowsWritten = counter({
  name: 'governor_ledger_rows_total',
  help: 'Ledger rows written.',
});

export const ledgerLag = gauge({
  name: 'governor_ledger_lag_seconds',
  help: 'Age of the oldest spend that the ledger does not have yet. Alert above 1.',
});

export const ledgerStuckShards = gauge({
  name: 'governor_ledger_stuck_shards',
  help: 'Shards whose ledger stands still: an entry cannot be read or placed, or the ledger is open for another Redis. Alert above 0.',
});

export const shutShardCount = gauge({
  name: 'governor_credit_shards_shut',
  help: 'Shards in which nothing can be spent until they are checked against the ledger or rebuilt.',
});

export const creditDrift = gauge({
  name: 'governor_credit_drift_accounts',
  help: 'Accounts whose ledger does not add up to their balance, as last reconciled. Alert above 0.',
});

export const creditPlansRepaired = counter({
  name: 'governor_credit_plans_repaired_total',
  help: 'Accounts that were found on another plan than their organization, and put on it.',
});
