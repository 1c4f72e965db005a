import { type Fault, faultsIn } from '../fault.ts';

const DELIVER = ['test/shared/core/events/webhooks/deliveries'];
const SEND = ['test/shared/core/events/webhooks/sending'];
const API = ['test/api/webhooks.test.ts', 'test/api/webhook-changes.test.ts'];
const GUARD = ['test/shared/core/events/webhooks/endpoints', 'test/abuse/webhooks.test.ts'];

export const WEBHOOK_FAULTS: readonly Fault[] = [
  {
    what: 'a body is signed as latin1',
    file: 'shared/core/events/webhooks/sending/sign.ts',
    text: "createHmac('sha256', secrets[0]).update(body).digest('hex')",
    replacement: "createHmac('sha256', secrets[0]).update(body, 'latin1').digest('hex')",
    tests: [...SEND, ...DELIVER, 'test/abuse/webhooks.test.ts'],
  },
  {
    what: 'a signature of the right length passes',
    file: 'shared/core/events/webhooks/sending/verify.js',
    text: 'return given.length === expected.length && timingSafeEqual(given, expected);',
    replacement: 'return given.length === expected.length;',
    tests: ['test/abuse/webhooks.test.ts', ...SEND],
  },
  {
    what: 'a retry waits as long as the one before it',
    file: 'shared/core/events/webhooks/deliveries/plan-progress.ts',
    text: 'const waitMs = WEBHOOK_WAITS_MS[attempt];',
    replacement: 'const waitMs = WEBHOOK_WAITS_MS[attempt - 1];',
    tests: DELIVER,
  },
  {
    what: 'an endpoint may take 14 s',
    file: 'shared/core/events/webhooks/sending/send-attempt.ts',
    text: 'timeoutMs: WEBHOOK_TIMEOUT_MS,',
    replacement: 'timeoutMs: WEBHOOK_TIMEOUT_MS + 4_000,',
    tests: SEND,
  },
  ...faultsIn(
    'shared/core/events/webhooks/sending/post.ts',
    [...SEND, ...DELIVER],
    [
      {
        what: 'a redirect is a success',
        text: 'return status >= 200 && status <= 299;',
        replacement: 'return status >= 200 && status <= 399;',
      },
      {
        what: 'every request ends its connection',
        text: "method: 'POST', headers: requestHeaders, body }",
        replacement: "method: 'POST', headers: requestHeaders, body, reset: true }",
        tests: SEND,
      },
    ],
  ),
  ...faultsIn('shared/core/events/webhooks/sending/endpoint.ts', SEND, [
    {
      what: 'every attempt opens a connection of its own',
      text: 'endpoint.pool ??= new Pool(url.origin, {',
      replacement: 'endpoint.pool = new Pool(url.origin, {',
    },
    {
      what: 'a test that cannot be signed keeps its permit',
      text: 'if (!isReleased) permit.release(true);',
      replacement: '',
      tests: API,
    },
  ]),
  ...faultsIn('shared/core/events/webhooks/deliveries/plan-events.ts', DELIVER, [
    {
      what: 'an event that nobody subscribes to is stored',
      text: 'return isWanted ? [rowOf(event, index, nowMs)] : [];',
      replacement: 'return [rowOf(event, index, nowMs)];',
    },
    {
      what: 'an event does not meet a webhook that is made meanwhile',
      text: 'const writes = [...guard, ...rows',
      replacement: 'const writes = [...rows',
      tests: GUARD,
    },
  ]),
  ...faultsIn('shared/core/events/webhooks/deliveries/send-digests.ts', DELIVER, [
    {
      what: 'what a digest has taken is taken again',
      text: 'finished(row, status, nowMs)));',
      replacement: 'finished(row, status, nowMs)).slice(1));',
    },
    {
      what: 'a digest takes 200 events, however large',
      text: 'return index === 0 || characters <= PER_DIGEST.characters;',
      replacement: 'return index === 0 || characters > 0;',
    },
  ]),
  {
    what: 'a mail that is sent again looks like another',
    file: 'shared/core/events/webhooks/sending/mail-attempt.ts',
    text: 'messageId: `<',
    replacement: 'inReplyTo: `<',
    tests: ['test/api/mail-webhooks.test.ts', 'test/drills/alerts.test.ts'],
  },
  ...faultsIn('shared/core/events/webhooks/deliveries/record-outcome.ts', DELIVER, [
    {
      what: 'a delivery is given up after four attempts',
      text: 'if (row.attempt >= ATTEMPTS) return',
      replacement: 'if (row.attempt >= ATTEMPTS - 1) return',
    },
    {
      what: 'a late outcome of an older attempt moves the delivery',
      text: '|| row.round !== outcome.round || row.attempt !== outcome.attempt) continue;',
      replacement: ') continue;',
      tests: [...DELIVER, 'test/drills/webhooks.test.ts'],
    },
    {
      what: 'the log keeps every answer',
      text: 'index < withAnswers ?',
      replacement: 'index < 0 ?',
      tests: ['test/api/webhook-changes.test.ts'],
    },
  ]),
  ...faultsIn('shared/core/events/webhooks/endpoints/plan-change.ts', DELIVER, [
    {
      what: 'a webhook that is failing alerts again',
      text: "if (webhook?.status !== 'active') return",
      replacement: 'if (!webhook) return',
    },
    {
      what: 'a mail that waits relies on a drain that may end',
      text: '  const isUnderWay =',
      replacement:
        '  if (due && !due.claim_id && plannedMs <= dueMs) return { writes: [], wakeUps: [] };\n  const isUnderWay =',
      tests: ['test/shared/core/events/webhooks/deliveries/held.test.ts'],
    },
  ]),
  ...faultsIn(
    'shared/core/events/webhooks/sending/decide-attempt.ts',
    [...DELIVER, ...API],
    [
      {
        what: 'a failing webhook gets requests',
        text: "if (!webhook || isPaused(webhook)) return { kind: 'drain', queued };",
        replacement: "if (!webhook) return { kind: 'drain', queued };",
      },
      {
        what: 'an attempt is made before its time',
        text: "if (queued.at > nowMs) return { kind: 'later', notBeforeMs: queued.at };",
        replacement: '',
        tests: DELIVER,
      },
      {
        what: 'the delivery of a deleted webhook is tried for ever',
        text: "if (!webhook || isPaused(webhook)) return { kind: 'drain', queued };",
        replacement:
          "if (!webhook) return { kind: 'nothing' };\n  if (isPaused(webhook)) return { kind: 'drain', queued };",
      },
    ],
  ),
  ...faultsIn('shared/core/events/webhooks/sending/drain-deliveries.ts', SEND, [
    {
      what: 'held deliveries are sent newest first',
      text: '.sort({ at: 1 })\n    .limit(READ_AT_ONCE)',
      replacement: '.sort({ at: -1 })\n    .limit(READ_AT_ONCE)',
      tests: [...DELIVER, ...API, 'test/drills/webhooks.test.ts'],
    },
    {
      what: 'two drains go on beside each other',
      text: 'return due?.claim_id === claimId;',
      replacement: 'return due !== null;',
    },
    {
      what: 'a drain keeps its place until its end',
      text: 'if (isOver(drain)) return { notBeforeMs: ctx.clock.now() };',
      replacement: '',
    },
    {
      what: 'a drain that waits for room is ended',
      text: 'isOwn ? [clearDue',
      replacement: 'true ? [clearDue',
      tests: ['test/api/mail-webhooks.test.ts'],
    },
  ]),
  {
    what: 'a webhook to a person who ends all mails meanwhile is created',
    file: 'shared/core/events/webhooks/endpoints/create-webhook.ts',
    text: 'return found ? [memberTouch(found)] : [];',
    replacement: 'return [];',
    tests: ['test/api/mail-webhooks.test.ts'],
  },
  {
    what: 'what is held beyond its limit is not counted in its transaction',
    file: 'shared/core/events/webhooks/deliveries/expire-held.ts',
    text: 'const count = await queuedDeliveryRows(ctx).countDocuments(held, { limit, session: transaction });',
    replacement: 'const count = await queuedDeliveryRows(ctx).countDocuments(held, { limit });',
    tests: DELIVER,
  },
  {
    what: 'a pause between steps goes by the wall clock',
    file: 'shared/core/events/webhooks/deliveries/plan-in-steps.ts',
    text: 'pauseEnds(ctx).set(due.org_id, ctx.clock.elapsed() + pauseMs);',
    replacement: 'pauseEnds(ctx).set(due.org_id, ctx.clock.elapsed() + ctx.clock.now());',
    tests: DELIVER,
  },
  {
    what: 'the lock of a long attempt is not extended',
    file: 'workers/worker.ts',
    text: 'if (ids.length === 0) return;\n    const tokens',
    replacement: 'if (ids.length >= 0) return;\n    const tokens',
    tests: ['test/workers/worker.test.ts'],
  },
  ...faultsIn('shared/core/events/webhooks/endpoints/url-guard.ts', GUARD, [
    {
      what: 'a name that resolves to a private address is connected to',
      text: 'if (addresses.length > 0 && areGood) return addresses;',
      replacement: 'if (addresses.length > 0 || areGood) return addresses;',
    },
    {
      what: 'a literal private address is connected to',
      text: 'if (literal !== null && !isAllowed(rules, options.hostname, literal)) {',
      replacement: 'if (false) {',
      tests: [...GUARD, ...SEND],
    },
  ]),
  ...faultsIn('shared/core/events/webhooks/endpoints/refuse-url.ts', GUARD, [
    {
      what: 'production allows endpoints on its own machine',
      text: "if (rules.nodeEnv === 'production') return false;",
      replacement: '',
    },
    {
      what: 'any port may be named',
      text: 'if (!ports.includes(port)) return',
      replacement: 'if (false) return',
    },
    {
      what: 'a mapped IPv4 address counts as public',
      text: "if (parsed.range() !== 'unicast' || DENIED.has(parsed.toString())) return false;",
      replacement: 'if (DENIED.has(parsed.toString())) return false;',
    },
  ]),
  {
    what: 'the secret of one webhook decrypts for another',
    file: 'shared/core/events/webhooks/endpoints/encrypt-secret.ts',
    text: '.setAAD(Buffer.from(webhookId))\n    .setAuthTag',
    replacement: '.setAuthTag',
    tests: ['test/shared/core/events/webhooks', ...API, 'test/scripts/governor/webhooks.test.ts'],
  },
  {
    what: 'the sweep wakes what can never be sent',
    file: 'shared/core/events/webhooks/sending/sweep-deliveries.ts',
    text: '.filter((webhookId) => isSweepable(ctx, webhookId))',
    replacement: '',
    tests: SEND,
  },
  {
    what: 'a repeated change of the secret takes the former one away',
    file: 'shared/core/events/webhooks/endpoints/update-webhook.ts',
    text: '=== secret) return {};',
    replacement: '!== webhook.secret) {}',
    tests: ['test/api/webhook-changes.test.ts'],
  },
  {
    what: 'a webhook that fails again while it is mailed about is not told of',
    file: 'shared/core/events/webhooks/deliveries/alert-admins.ts',
    text: 'if (!due || isAnother) return',
    replacement: 'if (!due) return',
    tests: DELIVER,
  },
  ...faultsIn('shared/core/events/webhooks/deliveries/recover-deliveries.ts', API, [
    {
      what: 'a test that failed is recovered',
      text: 'test: { $ne: true as const },',
      replacement: '',
    },
    {
      what: 'a recovery that reaches less far takes the place of one before it',
      text: 'dateAt(Math.min(sinceMs, before',
      replacement: 'dateAt(Math.max(sinceMs, before',
      tests: ['test/shared/core/events/webhooks/deliveries/recover-since.test.ts'],
    },
  ]),
  {
    what: 'a test is sent again',
    file: 'shared/core/events/webhooks/deliveries/redeliver.ts',
    text: "  if (test) throw new DomainError('conflict', 'This delivery was a test. Send another test instead.');",
    replacement: '',
    tests: API,
  },
];
