import type { Fault } from '../fault.ts';

const DELIVER = ['test/shared/webhooks/deliveries'];
const SEND = ['test/shared/webhooks/sending'];
const API = ['test/api/webhooks.test.ts'];
const GUARD = ['test/shared/webhooks/endpoints', 'test/abuse/webhooks.test.ts'];

export const WEBHOOK_FAULTS: readonly Fault[] = [
  {
    what: 'a body is signed as latin1',
    file: 'shared/webhooks/sending/sign.ts',
    text: "createHmac('sha256', secrets[0]).update(body).digest('hex')",
    replacement: "createHmac('sha256', secrets[0]).update(body, 'latin1').digest('hex')",
    tests: [...SEND, ...DELIVER, 'test/abuse/webhooks.test.ts'],
  },
  {
    what: 'a signature of the right length passes',
    file: 'shared/webhooks/sending/verify.js',
    text: 'return given.length === expected.length && timingSafeEqual(given, expected);',
    replacement: 'return given.length === expected.length;',
    tests: ['test/abuse/webhooks.test.ts', ...SEND],
  },
  {
    what: 'a retry waits as long as the one before it',
    file: 'shared/webhooks/deliveries/schedule.ts',
    text: 'const waitMs = ctx.webhookWaitsMs?.[attempt] ?? WEBHOOK_WAITS_MS[attempt];',
    replacement: 'const waitMs = ctx.webhookWaitsMs?.[attempt - 1] ?? WEBHOOK_WAITS_MS[attempt - 1];',
    tests: DELIVER,
  },
  {
    what: 'an endpoint may take 14 s',
    file: 'shared/webhooks/sending/send-attempt.ts',
    text: 'timeoutMs: WEBHOOK_TIMEOUT_MS,',
    replacement: 'timeoutMs: WEBHOOK_TIMEOUT_MS + 4_000,',
    tests: SEND,
  },
  {
    what: 'a redirect is a success',
    file: 'shared/webhooks/sending/post.ts',
    text: 'return status >= 200 && status <= 299;',
    replacement: 'return status >= 200 && status <= 399;',
    tests: [...SEND, ...DELIVER],
  },
  {
    what: 'every attempt opens a connection of its own',
    file: 'shared/webhooks/sending/permits.ts',
    text: 'endpoint.pool ??= new Pool(url.origin, {',
    replacement: 'endpoint.pool = new Pool(url.origin, {',
    tests: SEND,
  },
  {
    what: 'a delivery is given up after four attempts',
    file: 'shared/webhooks/deliveries/record-outcome.ts',
    text: 'if (outcome.attempt >= ATTEMPTS) return',
    replacement: 'if (outcome.attempt >= ATTEMPTS - 1) return',
    tests: DELIVER,
  },
  {
    what: 'a late outcome of an older attempt moves the delivery',
    file: 'shared/webhooks/deliveries/record-outcome.ts',
    text: '|| row.round !== outcome.round || row.attempt !== outcome.attempt) continue;',
    replacement: ') continue;',
    tests: [...DELIVER, 'test/drills/webhooks.test.ts'],
  },
  {
    what: 'a webhook that is failing alerts again',
    file: 'shared/webhooks/deliveries/mark-failing.ts',
    text: "if (webhook?.status !== 'active') return",
    replacement: 'if (!webhook) return',
    tests: DELIVER,
  },
  {
    what: 'a failing webhook gets requests',
    file: 'shared/webhooks/sending/decide-attempt.ts',
    text: "if (isPaused(webhook)) return { kind: 'hold', queued };",
    replacement: '',
    tests: [...DELIVER, ...API],
  },
  {
    what: 'an attempt is made before its time',
    file: 'shared/webhooks/sending/decide-attempt.ts',
    text: "if (queued.at > nowMs) return { kind: 'later', notBeforeMs: queued.at };",
    replacement: '',
    tests: DELIVER,
  },
  {
    what: 'the delivery of a deleted webhook is tried for ever',
    file: 'shared/webhooks/sending/decide-attempt.ts',
    text: "if (!webhook) return { kind: 'cancel', queued };",
    replacement: "if (!webhook) return { kind: 'nothing' };",
    tests: [...DELIVER, ...API],
  },
  {
    what: 'held deliveries are sent newest first',
    file: 'shared/webhooks/sending/drain-deliveries.ts',
    text: '.sort({ at: 1 })\n    .limit(READ_AT_ONCE)',
    replacement: '.sort({ at: -1 })\n    .limit(READ_AT_ONCE)',
    tests: [...DELIVER, ...API, 'test/drills/webhooks.test.ts'],
  },
  {
    what: 'the lock of a long attempt is not extended',
    file: 'workers/open-worker.ts',
    text: 'if (ids.length === 0) return;\n    const tokens',
    replacement: 'if (ids.length >= 0) return;\n    const tokens',
    tests: [...DELIVER, ...SEND, 'test/drills/webhooks.test.ts'],
  },
  {
    what: 'a name that resolves to a private address is connected to',
    file: 'shared/webhooks/endpoints/url-guard.ts',
    text: 'if (addresses.length > 0 && areGood) return addresses;',
    replacement: 'if (addresses.length > 0 || areGood) return addresses;',
    tests: GUARD,
  },
  {
    what: 'a literal private address is connected to',
    file: 'shared/webhooks/endpoints/url-guard.ts',
    text: 'if (literal !== null && !isAllowed(rules, options.hostname, literal)) {',
    replacement: 'if (false) {',
    tests: [...GUARD, ...SEND],
  },
  {
    what: 'production allows endpoints on its own machine',
    file: 'shared/webhooks/endpoints/url-guard.ts',
    text: "if (rules.nodeEnv === 'production') return false;",
    replacement: '',
    tests: GUARD,
  },
  {
    what: 'any port may be named',
    file: 'shared/webhooks/endpoints/url-guard.ts',
    text: 'if (!ports.includes(port)) return',
    replacement: 'if (false) return',
    tests: GUARD,
  },
  {
    what: 'a mapped IPv4 address counts as public',
    file: 'shared/webhooks/endpoints/addresses.ts',
    text: "if (parsed.range() !== 'unicast' || DENIED.has(parsed.toString())) return false;",
    replacement: 'if (DENIED.has(parsed.toString())) return false;',
    tests: GUARD,
  },
  {
    what: 'the secret of one webhook decrypts for another',
    file: 'shared/webhooks/endpoints/encrypt-secret.ts',
    text: '.setAAD(Buffer.from(webhookId))\n    .setAuthTag',
    replacement: '.setAuthTag',
    tests: ['test/shared/webhooks', ...API, 'test/scripts/governor'],
  },
];
