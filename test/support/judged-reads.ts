/** Reads of all tenants that are meant, by shape, and rows of all that a write looks for. Each is served so by intent. */
export const OF_ALL_TENANTS: Readonly<Record<string, string>> = {
  'api_keys by $or in order of created_at': 'retention: the keys of all organizations are few',
  'audit by ~at in order of at': 'retention: the oldest of all',
  'code_hosts by nothing': 'a change of the secret keys: every row that holds a secret',
  'contexts by ~ts in order of ts': 'retention: the oldest of all',
  'credit_accounts by nothing': 'the meter: every account is opened again',
  'deliveries by ~finished_at in order of finished_at': 'retention: the oldest of all',
  'destinations by enabled in order of through': 'a gauge: the destination that is furthest behind',
  'destinations by nothing': 'a change of the secret keys: every row that holds a secret',
  'device_grants by account_id': 'erasing a person: grants end after minutes, so they are few',
  'device_tokens by nothing': 'the meter: every device is opened again',
  'due by kind': 'a gauge, and tests of a kind: what is due of one kind',
  'due by ~due_at in order of due_at': 'the sweep: what is due, whosever it is',
  'due by ~due_at,~kind in order of due_at': 'the sweep: what is due of the other kinds, whosever it is',
  'events by ~created_at in order of created_at': 'retention: the oldest of all',
  'export_runs by ~created_at in order of created_at': 'retention: the oldest of all',
  'held_signals by ~ts in order of ts': 'retention: the oldest of all',
  'idempotency_records by ~expires_at in order of expires_at': 'retention: the oldest of all',
  'instances by nothing': 'the transaction guard: a few rows, one of each process',
  'members by email': 'sign-in: the organization is not known yet',
  'members by email,org_id': 'an address is of few people',
  'members by idp.iss,idp.sub': 'sign-in: the organization is not known yet',
  'organizations by nothing': 'jobs that walk over all organizations',
  'organizations by nothing in order of _id': 'jobs that walk over all organizations',
  'organizations by ~_id in order of _id': 'jobs that walk over all organizations',
  'pull_requests by nothing': 'a migration, which counts those of earlier versions',
  'queued_deliveries by state': 'webhooks that hold more than they may',
  'queued_deliveries by ~at,state': 'the sweep: what is due, whosever it is',
  'queued_deliveries by ~at,state in order of at': 'the sweep: what is due, whosever it is',
  'raises by ~notes_until': 'retention: the oldest of all',
  'repricing_parts by ~created_at in order of created_at': 'retention: the oldest of all',
  'repricings by ~created_at,state in order of created_at': 'retention: the oldest of all',
  'signing_keys by nothing': 'the keys of the service itself, which are few',
  'webhooks by alerted_at,status': 'the sweep: alerts that were not sent',
  'webhooks by nothing': 'a change of the secret keys: every row that holds a secret',
  'webhooks by status': 'a gauge: webhooks that are failing',
};

/** Lists that are put in order in memory, by shape. */
export const IN_MEMORY: Readonly<Record<string, string>> = {
  'api_keys by $or in order of created_at': 'retention: the keys of all organizations are few',
  'devices by account_id in order of created_at': 'an account has few devices',
  'organizations by nothing in order of _id': 'by the primary key, which is in this order',
  'sessions by org_id,~signal_count,~started_at in order of cost_nusd,_id':
    'a digest: the most expensive of a week',
  'sessions by org_id,~signal_count,~started_at,user_id in order of cost_nusd,_id':
    'a digest: the most expensive of a week',
};
