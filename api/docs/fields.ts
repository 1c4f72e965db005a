/** What a field means, and values that it may have, of which the first of the right type is its example. */
type Field = readonly [description: string, ...examples: unknown[]];

const TIME = '2026-01-15T09:30:00.000Z';
const UNIX = 1_768_469_400;

const sessions: Record<string, Field> = {
  id: ['The identifier', 'ses_3Kf9XqLm2TzVb7Rw8YcN1p'],
  user_id: ['The user', 'ada'],
  project_id: ['The project', 'checkout'],
  session_id: ['The session', 'ses_3Kf9XqLm2TzVb7Rw8YcN1p'],
  started_at: ['When it started', TIME],
  ended_at: ['When it ended', TIME],
  last_activity_at: ['When the last signal happened', TIME],
  duration_s: ['From start to end, in seconds', 1_260],
  model: ['The model', 'claude-sonnet-4-5'],
  models: ['All models, the primary one included', ['claude-sonnet-4-5']],
  provider: ['Who runs the model', 'anthropic'],
  adapter: ['The tool that reported it', 'claude-code'],
  tokens_in: ['Input tokens, cached ones included', 1_200],
  tokens_out: ['Output tokens', 340],
  cache_read_tokens: ['Input tokens that were read from a cache', 900],
  cache_write_tokens: ['Input tokens that were written to a cache', 0],
  cost_usd: ['Cost in US dollars', 0.0123],
  cost_source: ['Whether the cost was reported, computed here, or is unknown', 'computed'],
  signal_count: ['The number of signals', 12],
  error_count: ['The number of signals with an error', 1],
  intervention_count: ['The number of interventions', 0],
  unpriced_signals: ['Signals whose cost is not known, and counts as 0', 0],
  state: ['How it stands', 'open', 'ok'],
  end_reason: ['What ended it; null while it is open', 'timeout'],
  signals: ['Signals', 12],
  historical: ['Whether old signals are taken too', true],
};

const signals: Record<string, Field> = {
  type: ['The type', 'call'],
  ts: ['When it happened', TIME],
  error: ['What went wrong; absent when nothing did', { code: 'rate_limited' }, 'invalid_grant', null],
  code: ['A stable code for programs', 'rate_limited', 3],
  message: ['What went wrong, in words', 'Too many requests'],
  detail: ['What went wrong, in words', 'tokens_in must be a whole number'],
  latency_ms: ['How long it took, in milliseconds', 812],
  tool_name: ['The tool that the model called', 'bash'],
  metadata: ['At most 32 pairs of text of your own', { branch: 'main' }],
  intervention: [
    'What a policy gate decided',
    { kind: 'tool_permission', verdict: 'deny', action: 'block', source: 'config' },
  ],
  kind: ['What sort of thing it is', 'tool_permission'],
  verdict: ['What the gate said', 'deny'],
  action: ['What happened', 'block'],
  source: ['Who decided', 'config'],
  policy_id: ['The policy that decided', 'no-prod-writes'],
  rule_id: ['The rule of the policy', 'rule-7'],
  reason: ['Why', 'receipt', 'Writes to production are not allowed'],
  severity: ['How serious it is', 'high'],
  results: ['One result per signal, in the order of the request'],
};

const budgets: Record<string, Field> = {
  name: ['The name', 'Checkout team, monthly'],
  scope: ['Whose usage counts', 'org'],
  scope_id: ['The team, project, user or organization', 'checkout'],
  metric: ['What is counted', 'cost_usd'],
  threshold: ['The amount at which it is exceeded, in the unit of the metric', 500],
  window: ['The time over which usage is counted', 'monthly', 40],
  timezone: ['An IANA timezone', 'Europe/Berlin'],
  enforce: ['Whether calls beyond the threshold are refused', 'hard'],
  on_error: ['What a hard budget says while usage cannot be read', 'deny'],
  current: ['Usage in the open window, in the unit of the metric', 412.5],
  remaining: ['What is left up to the threshold; 0 beyond it', 87.5],
  utilization_pct: ['Usage in percent of the threshold', 82.5],
  window_start: ['When the open window began', TIME],
  window_end: ['When the open window ends', TIME],
  forecast: ["Usage at the window's end if it goes on at the pace so far", 540],
  last_evaluated_at: ['When the levels were last checked; null before the first time', TIME],
  revision: ['Rises with every change that lets the levels fire again', 1],
  created_at: ['When it was created', TIME, UNIX],
  updated_at: ['When it was last changed', TIME],
  anomaly_type: ['What is unusual', 'token_spike'],
  baseline_avg: ['What is usual: tokens, US dollars or an error rate, by type', 1_800],
  observed: ['What was seen, in the same unit', 9_400],
  deviation_pct: ['How far that is above the usual, in percent', 422.2],
  detected_at: ['When it was first seen', TIME],
  budget_id: ['The budget', 'bud_3Kf9XqLm2TzVb7Rw8YcN1p'],
  budget_name: ["The budget's name", 'Checkout team, monthly'],
};

const usage: Record<string, Field> = {
  from: ['The beginning of the range, inclusive', TIME, UNIX],
  to: ['The end of the range, exclusive', TIME, UNIX],
  interval: ['The length of the buckets of `series`, or the seconds between two polls', 'day', 5],
  group_by: ['One or two of the groupings, separated by a comma', 'model'],
  totals: ['Sums over the whole range'],
  series: ['Sums by bucket, oldest first'],
  groups: ['Sums by group'],
  start: ['When the bucket begins', TIME],
  key: ['What names the group, or the key', 'ugk_…', { model: 'claude-sonnet-4-5' }],
  errors: [
    'Signals with an error, or what was wrong field by field',
    1,
    [{ pointer: '/name', detail: 'must not be empty' }],
  ],
  interventions: ['The number of interventions', 0],
  sessions: ['The number of sessions', 4],
  active_users: ['Users with at least one signal', 9],
  median_cost_usd: ['The median cost per active user in US dollars', 3.2],
  hidden_weeks: ['Weeks that are not in the sums', 0],
  suppressed: ['Always true: too few members share this to show it', true],
  pending: ['Always true: the week is not frozen yet', true],
  dimension: ['What the cells are told apart by', 'model'],
  cells: ['Sums by value of the dimension'],
  trend: ['Sums by week, oldest first'],
  exact_from: ['From when on the question can be answered exactly', TIME],
  k: ['The least number of members behind a figure', 5],
  format: ['The format of the file', 'csv'],
  level: ['What a row of the file is', 'daily'],
  team: ['The team', 'checkout'],
  plan: ["The organization's plan", 'team'],
  orgId: ['The organization', 'org_3Kf9XqLm2TzVb7Rw8YcN1p'],
  org_id: ['The organization', 'org_3Kf9XqLm2TzVb7Rw8YcN1p'],
  session_timeout: ['Seconds of silence that end a session', 1_800],
  k_anonymity: ['The least number of members behind a figure of analytics', 5],
  scopes: ['What the key may do', ['usage:read']],
  limits: ['What the service takes of this organization'],
  requests_per_second: ['Requests per second and key', 600],
  body_bytes: ['Bytes of a body, after inflating', 1_048_576],
  signals_per_request: ['Signals per request', 1_000],
};

const webhooks: Record<string, Field> = {
  url: ['The address that events are sent to', 'https://hooks.example.com/governor'],
  events: ['The types of events', ['session.ended']],
  secret: ['The secret that signs each delivery', 'a-secret-of-at-least-32-characters'],
  enabled: ['Whether events are sent', true],
  held: ['Deliveries that wait until it is enabled again', 0],
  last_delivery: ['The newest delivery, or null'],
  event_id: ['The event', 'evt_3Kf9XqLm2TzVb7Rw8YcN1p'],
  delivery_id: ['The delivery', 'dlv_3Kf9XqLm2TzVb7Rw8YcN1p'],
  webhook_id: ['The webhook', 'whk_3Kf9XqLm2TzVb7Rw8YcN1p'],
  webhooks: ['Webhooks of the organization, at most', 1_000],
  attempts: ['What was tried, oldest first'],
  format: ['How events are written', 'slack'],
  number: ['The number of the attempt', 1],
  at: ['When it was made', TIME, UNIX],
  answer: ['The beginning of what the endpoint answered', 'ok'],
  next_attempt_at: ['When it is tried again; null when it is not', TIME],
  failing_since: ['Since when it is failing, or null', TIME],
  test: ['Only in a test event', true],
  since: ['From when on', TIME],
  queued: ['How many are sent again', 12],
  status: ['How it stands, or an HTTP status', 'accepted', 'active', 200],
};

const credits: Record<string, Field> = {
  delta: ['The change: negative for a spend', -1],
  bucket: ['The bucket that it was taken from or added to', 'window'],
  balance: ['What is left by bucket', { window: 40, monthly: 900, paid: 0, granted: 5 }],
  balances: ['What is left by bucket', { window: 40, monthly: 900, paid: 0, granted: 5 }],
  monthly: ['Credits of the month', 900],
  paid: ['Credits that were bought', 0],
  granted: ['Credits that were granted', 5],
  credits: ['A number of credits', 40],
  lots: ['Credits that came together, in the order in which they are spent'],
  resets_at: ['When it is full again (Unix seconds); null while it has not begun', UNIX],
  expires_at: ['When they expire (Unix seconds); null: never', UNIX, TIME],
  amount: ['How many credits', 100],
  next_refill: ['When the next credits come (Unix seconds); null: none will by themselves', UNIX],
  receipt: ['The signed receipt, a compact JWS', 'eyJhbGciOiJFZDI1NTE5In0.eyJpc3MiOiJ1cm4ifQ.c2ln'],
  output_sha256: [
    'The SHA-256 of the output, hex',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  transactions: ['Transactions, newest first'],
  include: ['What more to show', 'receipt'],
  keys: ['Public keys'],
  kty: ['The type of the key (RFC 7517)', 'OKP'],
  crv: ['The curve (RFC 8037)', 'Ed25519'],
  x: ['The public key, base64url', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
  y: ['The second coordinate of a public key, base64url', 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'],
  n: ['The modulus of an RSA key, base64url', 'sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri'],
  e: ['The exponent of an RSA key, base64url', 'AQAB'],
  kid: ['The id of the key', 'key-2026-01'],
  alg: ['The algorithm', 'Ed25519'],
  use: ['What the key is for', 'sig'],
};

const devices: Record<string, Field> = {
  devices: ['Devices, newest first'],
  device_id: ['The device', 'dev_3Kf9XqLm2TzVb7Rw8YcN1p'],
  last_seen_at: ['When it last spent (Unix seconds); null before the first time', UNIX],
  revoked: ['Always true', true],
  device_code: ['The code that the device polls with', 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS'],
  user_code: ['The code that the person enters', 'WDJB-MJHT'],
  verification_uri: ['Where the person enters the code', 'https://governor.example.com/activate'],
  verification_uri_complete: [
    'The same with the code filled in',
    'https://governor.example.com/activate?user_code=WDJB-MJHT',
  ],
  expires_in: ['Seconds until the codes expire', 900],
  grant_type: ['The grant type', 'urn:ietf:params:oauth:grant-type:device_code'],
  client_id: ['Ignored: there is one client', 'cli'],
  access_token: ['The device token; it is not shown again', 'ugd_…'],
  token_type: ['How the token is sent', 'Bearer'],
  public_key: [
    'The public key of the device as a JWK',
    { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  ],
  error_description: ['What went wrong, in words', 'The user code has not been approved yet.'],
};

const people: Record<string, Field> = {
  email: ['The e-mail address', 'ada@example.org'],
  role: ['What the person may do', 'member'],
  teams: ['The teams', ['checkout']],
  linked: ['Whether the person has signed in', true],
  declined: ['Whether the person declined the invitation', false],
  admin_emails: ['Where alerts go', ['ops@example.org']],
  grace_s: ['Seconds for which the old key goes on', 86_400],
  actor: ['The account, the key or the process that acted', 'usr_3Kf9XqLm2TzVb7Rw8YcN1p'],
  details: ['What was changed'],
  end: ['When it ends', TIME],
  fired_at: ['When it was raised', TIME],
  alerted_at: ['When the admins were told, or null', TIME],
  old_secret_until: ['Until when the old secret signs too, or null', TIME],
  request: ['What is sent'],
  body: ['The body, byte for byte', '{"id":"evt_3Kf9"}'],
  top: ['How many groups to show; the rest is one', 8, '8'],
};

const lists: Record<string, Field> = {
  data: ['The items of the page, or what the event tells'],
  cursor: ['Pass it back as `cursor` to get the next page', 'eyJhIjoxfQ.c2ln'],
  has_more: ['Whether there are more pages', false],
  total: ['How many there are in all', 42],
  limit: ['The largest number of items of the page', 20, '12'],
  order: ['The order: newest first (`desc`) or oldest first', 'desc'],
  parts: ['How each store stands', { mongo: 'ok', redis: 'ok' }],
  mongo: ['How MongoDB stands', 'ok'],
  redis: ['How Redis stands', 'ok'],
  title: ['What went wrong, the same for every problem of this code', ''],
  request_id: ['The id of the request in our log', '0b9de2b0-6e3a-4a5c-9a3e-7f1d2c4b5a69'],
  pointer: ['Where in the body: a JSON pointer', '/name'],
  parameter: ['The parameter or header', 'limit'],
  allow: ['The methods that the path supports', 'GET, HEAD'],
  retry_after_s: ['Seconds after which to try again', 1],
  partialSuccess: [
    'What was refused, or a warning',
    { rejectedSpans: '1', errorMessage: 'one span has no time' },
  ],
  rejectedLogRecords: ['How many log records were refused', '1'],
  rejectedSpans: ['How many spans were refused', '1'],
  rejectedDataPoints: ['How many data points were refused', '0'],
  errorMessage: ['What was refused and why', 'one span has no time'],
};

/** The dictionary of fields. A schema that says more about a field of its own goes before it. */
const FIELDS: Readonly<Record<string, Field>> = {
  ...sessions,
  ...signals,
  ...budgets,
  ...usage,
  ...webhooks,
  ...credits,
  ...devices,
  ...people,
  ...lists,
};

const TIMES: ReadonlySet<string> = new Set([
  'ts',
  'at',
  'from',
  'to',
  'start',
  'window_start',
  'window_end',
  'since',
]);
const URIS: ReadonlySet<string> = new Set(['url', 'verification_uri', 'verification_uri_complete']);

/** What the dictionary says about a field, if it is in there. */
export function fieldNamed(name: string): { description: string; examples: readonly unknown[] } | null {
  const [description, ...examples] = FIELDS[name] ?? [];
  return description === undefined ? null : { description, examples };
}

/** The format of a text field, by its name. */
export function formatOf(name: string): 'date-time' | 'uri' | null {
  if (URIS.has(name)) return 'uri';
  return TIMES.has(name) || name.endsWith('_at') ? 'date-time' : null;
}
