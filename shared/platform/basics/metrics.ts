import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** One registry a process. Seconds, as Prometheus wants them. */
export function createMetrics(options: { defaults: boolean }) {
  const registry = new Registry();
  if (options.defaults) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    httpSeconds: new Histogram({
      name: 'governor_http_request_seconds',
      help: 'Time to answer, by route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    shed: new Counter({
      name: 'governor_requests_shed_total',
      help: 'Requests refused to protect the others.',
      labelNames: ['priority'],
      registers,
    }),
    signals: new Counter({
      name: 'governor_signals_total',
      help: 'Signals by outcome.',
      labelNames: ['status'],
      registers,
    }),
    signalBatch: new Histogram({
      name: 'governor_signal_batch_size',
      help: 'Signals committed by one transaction.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
      registers,
    }),
    spends: new Counter({
      name: 'governor_spends_total',
      help: 'Spends of a credit by what the script answered.',
      labelNames: ['outcome'],
      registers,
    }),
    ledgerRows: new Counter({
      name: 'governor_ledger_rows_total',
      help: 'Ledger rows written.',
      registers,
    }),
    ledgerLag: new Gauge({
      name: 'governor_ledger_lag_seconds',
      help: 'Age of the oldest spend that the ledger does not have yet. Alert above 1.',
      registers,
    }),
    ledgerStuck: new Gauge({
      name: 'governor_ledger_stuck_shards',
      help: 'Shards whose ledger stands still at an entry that cannot be read or written. Alert above 0.',
      registers,
    }),
    gatesShut: new Gauge({
      name: 'governor_credit_gates_shut',
      help: 'Shards in which nothing can be spent until they are checked against the ledger or rebuilt.',
      registers,
    }),
    creditDrift: new Gauge({
      name: 'governor_credit_drift_accounts',
      help: 'Accounts whose ledger does not add up to their balance, as last reconciled. Alert above 0.',
      registers,
    }),
    creditPlans: new Counter({
      name: 'governor_credit_plans_repaired_total',
      help: 'Accounts that were found on another plan than their organization, and put on it.',
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'governor_job_seconds',
      help: 'Time of a job, by queue and outcome.',
      labelNames: ['queue', 'outcome'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
      registers,
    }),
    swept: new Counter({
      name: 'governor_swept_total',
      help: 'Things found due without a live job.',
      labelNames: ['queue'],
      registers,
    }),
    deviceAddressChanges: new Counter({
      name: 'governor_device_address_changes_total',
      help: 'Spends of a device from another address than its last one: often means a copied token.',
      registers,
    }),
    usageDrift: new Counter({
      name: 'governor_usage_drift_rows_total',
      help: 'Rollups that were not the sum of their signals.',
      registers,
    }),
    purged: new Counter({
      name: 'governor_purged_rows_total',
      help: 'Rows deleted after their retention, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'governor_webhook_attempts_total',
      help: 'Webhook attempts by outcome, failed ones by error class.',
      labelNames: ['outcome', 'error'],
      registers,
    }),
    webhookFirstAttemptSeconds: new Histogram({
      name: 'governor_webhook_first_attempt_seconds',
      help: 'From the event to the begin of its first attempt.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers,
    }),
    webhookRetryLatenessSeconds: new Histogram({
      name: 'governor_webhook_retry_lateness_seconds',
      help: 'How late a retry began.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers,
    }),
    webhooksHeld: new Gauge({
      name: 'governor_webhook_deliveries_held',
      help: 'Deliveries that wait for their webhook to be enabled again.',
      registers,
    }),
    webhooksFailing: new Gauge({
      name: 'governor_webhooks_failing',
      help: 'Webhooks that are paused after five failed attempts.',
      registers,
    }),
    ready: new Gauge({
      name: 'governor_ready',
      help: 'Whether a part answers (1) or not (0).',
      labelNames: ['part'],
      registers,
    }),
  };
}
