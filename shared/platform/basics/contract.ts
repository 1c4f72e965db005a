/** Numbers that are promised to callers (docs/ and /openapi.json). Nothing here is a setting. */

/** Silence that ends a session, unless the organization sets another. Seconds. */
export const SESSION_TIMEOUT_S = 1_800;
/** Session timeouts that an organization may set. Seconds. */
export const SESSION_TIMEOUT_RANGE_S = { min: 60, max: 86_400 } as const;

/** Page sizes of every list that has pages. */
export const PAGE_SIZE = { default: 20, max: 100 } as const;

/** Distance of a signal's `ts` from the clock, at most. Milliseconds. */
export const SIGNAL_AGE_MS = { ahead: 5 * 60_000, behind: 35 * 86_400_000 } as const;
/** The limits of one signal above which it is held: what an organization may set, and the default. */
export const HOLD_ABOVE = {
  tokens: { min: 1_000, max: 2_000_000_000, default: 20_000_000 },
  cost_usd: { min: 0.01, max: 1_000_000, default: 1_000 },
} as const;
/** Held signals of an organization that nobody has decided about; one more is rejected. */
export const HELD_SIGNALS = 10_000;
/** The day of the next month at which a month of FOCUS files closes: what an organization may set, and the default. */
export const FOCUS_CLOSE_DAY = { min: 1, max: 28, default: 6 } as const;
/** Signals of one request that voids, releases or discards them. */
export const CORRECTED_PER_REQUEST = 100;
/** The project of calls that name none. */
export const NO_PROJECT = 'unassigned';
/** Contexts per request; more is a 413. And of one client session; one more is rejected. */
export const CONTEXTS_PER_REQUEST = 500;
export const CONTEXTS_PER_SESSION = 2_000;
/** Boundaries of one branch, after which it takes no rename more. */
export const BOUNDARIES_PER_BRANCH = 1_000;
/** Signals per request; more is a 413. */
export const SIGNALS_PER_REQUEST = 1_000;
/** Log records, spans or metrics per OTLP request, and as many resources and scopes; more is a 400. */
export const RECORDS_PER_REQUEST = 100_000;
/** Time for which an `Idempotency-Key` of a request that creates something is kept. Milliseconds. */
export const IDEMPOTENCY_KEY_LIFETIME_MS = 48 * 3_600_000;
/** Bytes of a request body after inflating. */
export const BODY_BYTES = 1_048_576;
/** The same of a hook: a tool's input comes along, the whole of a file that is written, say. */
export const HOOK_BODY_BYTES = 8_388_608;
/** Nesting of a request body. */
export const BODY_DEPTH = 32;
/** Values of a request body. The fullest 1,000 signals have 65,000. */
export const BODY_VALUES = 100_000;

/** Types of the events that a webhook names in its `events`. */
export const NAMED_EVENT_TYPES = [
  'session.started',
  'session.ended',
  'budget.exceeded',
  'budget.warning',
  'budget.raise_requested',
  'budget.raise_answered',
  'anomaly.detected',
  'signals.held',
  'export.failed',
  'credit.low',
  'credit.depleted',
] as const;
export type NamedEventType = (typeof NAMED_EVENT_TYPES)[number];

/** Types of all events that webhooks receive. The last three come from a webhook's settings. */
export const EVENT_TYPES = [...NAMED_EVENT_TYPES, 'budget.threshold', 'budget.forecast', 'digest'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const ANOMALY_TYPES = ['token_spike', 'cost_spike', 'error_spike', 'runaway_session'] as const;
export type AnomalyType = (typeof ANOMALY_TYPES)[number];

/** How a webhook is written to: the contract's envelope, or a message for people. */
export const WEBHOOK_FORMATS = ['json', 'slack', 'teams', 'discord', 'ntfy', 'email'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** Share of the threshold at which `budget.warning` is raised: 80 %. */
export const BUDGET_WARNING_RATIO = { numerator: 4, denominator: 5 } as const;
/** Time after its end in which a budget window still raises events, for signals that come late. Milliseconds. */
export const CLOSED_WINDOW_FIRES_MS = 48 * 3_600_000;
/** Waits before the attempts 1..5 of a delivery, each after the previous failure. Milliseconds. */
export const WEBHOOK_WAITS_MS = [0, 30_000, 300_000, 1_800_000, 7_200_000] as const;
/** Time in which an endpoint must answer, from DNS to headers. Milliseconds. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** Characters of a webhook's secret, and of its URL. */
export const WEBHOOK_SECRET_LENGTH = { min: 32, max: 256 } as const;
export const WEBHOOK_NAME_LENGTH = 80;
export const WEBHOOK_URL_LENGTH = 2_000;
/** Bytes that the delivery log keeps of an endpoint's answer. */
export const WEBHOOK_ANSWER_BYTES = 16_384;
/** How long a webhook's secret still signs after it was changed. Milliseconds. */
export const OLD_SECRET_SIGNS_MS = 24 * 3_600_000;
/** Deliveries that one webhook holds; the oldest beyond these expire. */
export const HELD_DELIVERIES = 100_000;

/** Least k of k-anonymity; an organization may raise it. */
export const K_ANONYMITY_FLOOR = 5;
/** The people who count towards k: every user that signals report, or members of the organization only. */
export const K_POPULATIONS = ['reported', 'members'] as const;
export type KPopulation = (typeof K_POPULATIONS)[number];

export const PLANS = ['free', 'team', 'enterprise'] as const;
export type Tier = (typeof PLANS)[number];

export const ROLES = ['member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Scopes of API keys. */
export const SCOPES = [
  'signals:write',
  'usage:read',
  'org:read',
  'webhooks:write',
  'budgets:write',
  'budgets:check',
  'signals:correct',
  'members:read',
  'exports:write',
  'prices:read',
  'prices:write',
] as const;
export type Scope = (typeof SCOPES)[number];
/** Scopes that concern everybody's signals or members: no key that is bound to one user holds them. */
export const UNBOUND_SCOPES: readonly Scope[] = [
  'signals:correct',
  'members:read',
  'exports:write',
  'prices:read',
  'prices:write',
];

/** An `Idempotency-Key`. Node joins two headers with a comma, so it holds none. */
export const IDEMPOTENCY_KEY = /^[\x20-\x2b\x2d-\x7e]{1,128}$/;

/** Live API keys that are bound to one user, and of one organization; one more is a 409. */
export const KEYS_PER_USER = 50;
export const KEYS_PER_ORGANIZATION = 1_000;
/** Days for which a key is listed after it was revoked or has expired. */
export const KEY_KEPT_DAYS = 30;
/** Code hosts of an organization; one more is a 409. */
export const CODE_HOSTS_PER_ORGANIZATION = 50;
/** Destinations of an organization; one more is a 409. */
export const DESTINATIONS_PER_ORGANIZATION = 5;
/** Budgets of an organization; one more is a 409. */
export const BUDGETS_PER_ORGANIZATION = 5_000;
/** Price rules of an organization; one more is a 409. */
export const PRICE_RULES_PER_ORGANIZATION = 1_000;
/** Days for which the runs of a destination are listed. */
export const EXPORT_RUN_KEPT_DAYS = 90;
/** Present members of an organization; one more is a 409. */
export const MEMBERS_PER_ORGANIZATION = 10_000;

/** Active devices per account; one more is a 409. */
export const DEVICES_PER_ACCOUNT = 20;
/** Characters of a `device_id`; a longer one is a 400. */
export const DEVICE_ID_LENGTH = 128;
/** Life of a user code, and the pause between two polls of a device (RFC 8628 section 3.2). Seconds. */
export const DEVICE_CODE_LIFETIME_S = 900;
export const DEVICE_POLL_INTERVAL_S = 5;
/** Seconds that `slow_down` adds to the pause (RFC 8628 section 3.5). */
export const DEVICE_SLOW_DOWN_S = 5;
/** Wrong user codes of one account or address before a 429. */
export const WRONG_USER_CODES = 5;
