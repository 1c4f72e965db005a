import { type Fault, faultsIn } from '../fault.ts';

const DELIVER = ['test/shared/core/events/webhooks/deliveries'];
const SEND = ['test/shared/core/events/webhooks/sending'];
const API = ['test/api/webhooks.test.ts', 'test/api/webhook-changes.test.ts'];

export const WEBHOOK_FAULTS: readonly Fault[] = [
  {
    what: 'a body is signed as latin1',
    file: 'shared/core/events/webhooks/sending/sign.ts',
    text: "createHmac('sha256', secrets[0]).update(body).digest('hex')",
    replacement: "createHmac('sha256', secrets[0]).update(body, 'latin1').digest('hex')",
    tests: [...SEND, ...DELIVER, 'test/abuse/webhooks.test.ts'],
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
        what: 'the delivery of a deleted webhook is tried for ever',
        text: "if (!webhook || isPaused(webhook)) return { kind: 'drain', queued };",
        replacement:
          "if (!webhook) return { kind: 'nothing' };\n  if (isPaused(webhook)) return { kind: 'drain', queued };",
      },
    ],
  ),
  ...faultsIn('shared/core/events/webhooks/sending/drain-deliveries.ts', SEND, [
    {
      what: 'two drains go on beside each other',
      text: 'return due?.claim_id === claimId;',
      replacement: 'return due !== null;',
    },
  ]),
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
  {
    what: 'a repeated change of the secret takes the former one away',
    file: 'shared/core/events/webhooks/endpoints/update-webhook.ts',
    text: '=== secret) return {};',
    replacement: '!== webhook.secret) {}',
    tests: ['test/api/webhook-changes.test.ts'],
  },
  ...faultsIn('shared/core/events/webhooks/deliveries/recover-deliveries.ts', API, [
    {
      what: 'a test that failed is recovered',
      text: 'test: { $ne: true as const },',
      replacement: '',
    },
  ]),
];
