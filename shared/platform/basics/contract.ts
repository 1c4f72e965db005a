/** Every number that the contract with callers fixes (docs/api.md). Nothing here is a setting. */

/** Inactivity that ends a session unless the organization sets another. Seconds. */
export const SESSION_TIMEOUT_S = 1_800;
/** What an organization may set instead. Seconds. */
export const SESSION_TIMEOUT_RANGE_S = { min: 60, max: 86_400 } as const;

/** Page size of every list in the session list's envelope. */
export const PAGE_SIZE = { default: 20, max: 100 } as const;

/** How far a signal's `ts` may lie from the clock. Milliseconds. */
export const SIGNAL_AGE_MS = { ahead: 5 * 60_000, behind: 35 * 86_400_000 } as const;
/** Signals in one request; more is a 413. */
export const SIGNALS_PER_REQUEST = 1_000;
/** Bytes of a request body, after inflating. */
export const BODY_BYTES = 1_048_576;
/** Nesting of a request body. */
export const BODY_DEPTH = 32;

/** The event types, in the order of its table. */
export const EVENT_TYPES = [
  'session.started',
  'session.ended',
  'budget.exceeded',
  'budget.warning',
  'anomaly.detected',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** `budget.warning` is raised at 80 % of the threshold. */
export const BUDGET_WARNING_RATIO = { numerator: 4, denominator: 5 } as const;
/** How long after its end a window may still raise an event, for signals that come late. Milliseconds. */
export const CLOSED_WINDOW_FIRES_MS = 48 * 3_600_000;
/** Waits before attempts 1..5, each after the previous failure. Milliseconds. */
export const WEBHOOK_WAITS_MS = [0, 30_000, 300_000, 1_800_000, 7_200_000] as const;
/** The endpoint must respond within this. Milliseconds. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** Characters of a webhook's secret and of its URL. */
export const WEBHOOK_SECRET_LENGTH = { min: 32, max: 256 } as const;
export const WEBHOOK_URL_LENGTH = 2_000;
/** What is kept of an endpoint's answer. Bytes. */
export const WEBHOOK_ANSWER_BYTES = 16_384;
/** Webhooks of one organization: each event of it is delivered to all that subscribe. */
export const WEBHOOKS_PER_ORGANIZATION = 1_000;

/** The least k of k-anonymity; an organization may raise it, never lower it. */
export const K_ANONYMITY_FLOOR = 5;

export const PLANS = ['free', 'team', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

export const ROLES = ['member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What an API key may be allowed to do. */
export const SCOPES = ['signals:write', 'usage:read', 'org:read', 'webhooks:write', 'budgets:write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Active devices of an account; one more is a 409. */
export const DEVICES_PER_ACCOUNT = 20;
/** A longer `device_id` is a 400, in characters. */
export const DEVICE_ID_LENGTH = 128;
/** RFC 8628 section 3.2: how long a user code is good, and how often a device may ask. Seconds. */
export const DEVICE_CODE_LIFETIME_S = 900;
export const DEVICE_POLL_INTERVAL_S = 5;
/** RFC 8628 section 3.5: what `slow_down` adds to the interval. Seconds. */
export const DEVICE_SLOW_DOWN_S = 5;
/** Wrong user codes of one account or address before a 429. */
export const WRONG_USER_CODES = 5;
