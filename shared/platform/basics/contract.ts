/** Every number that the interface fixes, with its section. Nothing here is a setting. */

/** Interface 8: inactivity that ends a session unless the organization sets another. Seconds. */
export const SESSION_TIMEOUT_S = 1_800;
/** Design 2: what an organization may set instead. Seconds. */
export const SESSION_TIMEOUT_RANGE_S = { min: 60, max: 86_400 } as const;

/** Interface 8: page size of every list in the session list's envelope. */
export const PAGE_SIZE = { default: 20, max: 100 } as const;

/** Design 3: how far a signal's `ts` may lie from the clock. Milliseconds. */
export const SIGNAL_AGE_MS = { ahead: 5 * 60_000, behind: 35 * 86_400_000 } as const;
/** Design 3: signals in one request; more is a 413. */
export const SIGNALS_PER_REQUEST = 1_000;
/** Design 3: bytes of a request body, after inflating. */
export const BODY_BYTES = 1_048_576;
/** Abuse case 9: nesting of a request body. */
export const BODY_DEPTH = 32;

/** Interface 6.1: the event types, in the order of its table. */
export const EVENT_TYPES = [
  'session.started',
  'session.ended',
  'budget.exceeded',
  'budget.warning',
  'anomaly.detected',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Interface 8: `budget.warning` is raised at 80 % of the threshold. */
export const BUDGET_WARNING_RATIO = { numerator: 4, denominator: 5 } as const;
/** Design 4: how long after its end a window may still raise an event, for signals that come late. Milliseconds. */
export const CLOSED_WINDOW_FIRES_MS = 48 * 3_600_000;
/** Interface 6.4: waits before attempts 1..5, each after the previous failure. Milliseconds. */
export const WEBHOOK_WAITS_MS = [0, 30_000, 300_000, 1_800_000, 7_200_000] as const;
/** Interface 6.4: the endpoint must respond within this. Milliseconds. */
export const WEBHOOK_TIMEOUT_MS = 10_000;
/** Interface 4.3, design 6: characters of a webhook's secret and of its URL. */
export const WEBHOOK_SECRET_LENGTH = { min: 32, max: 256 } as const;
export const WEBHOOK_URL_LENGTH = 2_000;
/** Design 6: what is kept of an endpoint's answer. Bytes. */
export const WEBHOOK_ANSWER_BYTES = 16_384;
/** Webhooks of one organization: each event of it is delivered to all that subscribe. */
export const WEBHOOKS_PER_ORGANIZATION = 1_000;

/** Design 2: k of k-anonymity; an organization may raise it, never lower it. */
export const K_ANONYMITY_FLOOR = 5;

export const PLANS = ['free', 'team', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

export const ROLES = ['member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Design 2: what an API key may be allowed to do. */
export const SCOPES = ['signals:write', 'usage:read', 'org:read', 'webhooks:write', 'budgets:write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Design 9: active devices of an account; one more is a 409. */
export const DEVICES_PER_ACCOUNT = 20;
/** Design 9: a longer `device_id` is a 400, in characters. */
export const DEVICE_ID_LENGTH = 128;
/** RFC 8628 section 3.2: how long a user code is good, and how often a device may ask. Seconds. */
export const DEVICE_CODE_LIFETIME_S = 900;
export const DEVICE_POLL_INTERVAL_S = 5;
/** RFC 8628 section 3.5: what `slow_down` adds to the interval. Seconds. */
export const DEVICE_SLOW_DOWN_S = 5;
/** Abuse case 58: wrong user codes of one account or address before a 429. */
export const WRONG_USER_CODES = 5;
