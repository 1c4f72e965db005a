import { type Fault, faultsIn } from '../fault.ts';

const OTLP = ['test/shared/core/calls/adapters/otlp.test.ts'];
const OTLP_API = ['test/api/otlp.test.ts'];
const HOOKS = ['test/api/budget-hooks.test.ts'];
const MAILS = ['test/api/mail-webhooks.test.ts'];
const AVAILABILITY = ['test/abuse/availability.test.ts'];
const PURCHASES = ['test/abuse/purchases.test.ts'];
const VIEWS = ['test/abuse/budget-views.test.ts'];
const RESERVATIONS = ['test/abuse/reservations.test.ts'];
const SHARES = ['test/api/reservation-shares.test.ts'];
const DASHBOARD = ['test/api/dashboard-session.test.ts'];

/** Limits of what callers may send, hold, see and have sent in their name. */
export const LIMIT_FAULTS: readonly Fault[] = [
  {
    what: 'a body holds any number of records',
    file: 'shared/core/calls/adapters/otlp/record.ts',
    text: 'if (count > RECORDS_PER_REQUEST)',
    replacement: 'if (count > 2 * RECORDS_PER_REQUEST)',
    tests: OTLP,
  },
  ...faultsIn('shared/core/calls/adapters/otlp/json.ts', OTLP, [
    {
      what: 'a part of a body holds any number of values',
      text: 'values: BODY_VALUES };',
      replacement: 'values: 10 * BODY_VALUES };',
    },
  ]),
  {
    what: 'any number of spans of a body is compared',
    file: 'shared/core/calls/adapters/read-request.ts',
    text: 'if (spans.length > MOST_CALLS)',
    replacement: 'if (spans.length > 2 * MOST_CALLS)',
    tests: OTLP,
  },
  {
    what: 'signals take many times the bytes of their body',
    file: 'shared/core/calls/adapters/pack-request.ts',
    text: 'if (bytes > mostBytes)',
    replacement: 'if (bytes > 1_000 * mostBytes)',
    tests: OTLP_API,
  },
  {
    what: 'a body inflates to any multiple of its bytes',
    file: 'api/basics/read-bytes.ts',
    text: 'inflated <= MOST_INFLATION * compressed',
    replacement: 'inflated <= 10 * MOST_INFLATION * compressed',
    tests: OTLP_API,
  },
  ...faultsIn('shared/core/calls/adapters/decode.ts', OTLP_API, [
    {
      what: 'a body is decoded for as long as it takes',
      text: 'setTimeout(() => late.abort(), DECODE_MS)',
      replacement: 'setTimeout(() => late.abort(), 100 * DECODE_MS)',
    },
  ]),
  ...faultsIn('api/serve/body.ts', HOOKS, [
    {
      what: 'a hook inflates its body',
      text: 'pickMembers(await readText(req, limits, []), new Set(names))',
      replacement: "pickMembers(await readText(req, limits, ['gzip']), new Set(names))",
    },
    {
      what: 'a hook parses all that it is sent',
      text: 'else skipValue(cursor);',
      replacement: 'else parseValue(cursor, BOUNDS);',
    },
    {
      what: 'an event of Stripe is inflated for strangers',
      text: 'return readBytes(req, limits, []);',
      replacement: "return readBytes(req, limits, ['gzip']);",
      tests: PURCHASES,
    },
  ]),
  ...faultsIn('api/serve/admit.ts', HOOKS, [
    {
      what: 'a large body counts as one request',
      text: 'Math.max(1, Math.ceil(mostBytesOf(exchange) / BODY_BYTES))',
      replacement: 'Math.max(1, 0 * mostBytesOf(exchange) * BODY_BYTES)',
    },
    {
      what: 'a large body of a check is shed last',
      text: "&& mostBytesOf(exchange) > LARGE_BYTES ? 'ingest' : priority",
      replacement: "&& mostBytesOf(exchange) < LARGE_BYTES - LARGE_BYTES ? 'ingest' : priority",
    },
  ]),
  ...faultsIn('api/serve/limits.ts', AVAILABILITY, [
    {
      what: 'a caller sends any number of bodies at once',
      text: 'if (config.rateLimits && all.bodies >= RECEIVING[trust]) throw tooManyAtOnce();',
      replacement: 'void trust;',
    },
    {
      what: 'an address begins any number of device grants',
      text: 'if (state.consumedPoints > most)',
      replacement: 'if (state.consumedPoints > 10 * most)',
    },
  ]),
  {
    what: 'a stranger has as much time for a body as anybody',
    file: 'api/serve/parse.ts',
    text: 'const deadlineMs = proven ? PROVEN_BODY_MS : UNPROVEN_BODY_MS;',
    replacement: 'const deadlineMs = proven ? UNPROVEN_BODY_MS : PROVEN_BODY_MS;',
    tests: AVAILABILITY,
  },
  {
    what: 'pages and cookie routes are not counted',
    file: 'api/people/mount-dashboard.ts',
    text: 'await limits.count(res, { address: addressOf(req) });',
    replacement: 'void limits.count && addressOf(req);',
    tests: ['test/api/dashboard.test.ts', ...DASHBOARD, ...AVAILABILITY],
  },
  ...faultsIn('api/wings/purchases/take-stripe-event.ts', PURCHASES, [
    {
      what: 'an event of Stripe is read before its signature is looked at',
      text: "refuseByHeaders: (header, ctx) => void expectSignature(ctx, header('stripe-signature') ?? ''),",
      replacement: 'refuseByHeaders: () => void expectSignature,',
    },
    {
      what: 'an event of Stripe may be as long as any body',
      text: 'bodyBytes: 262_144,',
      replacement: '',
    },
  ]),
  {
    what: 'an event of Stripe grants any number of credits',
    file: 'shared/wings/purchases/stripe-event.ts',
    text: '(count) => count <= MOST_CREDITS,',
    replacement: '(count) => count <= 10 * MOST_CREDITS,',
    tests: PURCHASES,
  },
  ...faultsIn('shared/core/events/webhooks/endpoints/mail-permits.ts', MAILS, [
    {
      what: 'a mailbox gets any number of mails',
      text: 'most: MAILS_PER_MAILBOX }',
      replacement: 'most: 2 * MAILS_PER_MAILBOX }',
    },
    {
      what: 'an organization writes any number of mails',
      text: 'most: ctx.config.mailsPerOrganization }',
      replacement: 'most: 2 * ctx.config.mailsPerOrganization }',
    },
    {
      what: 'a mail that was not sent keeps its permit',
      text: 'await mailPermitRows(ctx).updateOne({ _id }, { $pop: { sent: 1 } });',
      replacement: 'void _id;',
    },
  ]),
  ...faultsIn('shared/core/events/webhooks/endpoints/mail-target.ts', MAILS, [
    {
      what: 'who has unsubscribed is written to by a new webhook',
      text: '&& !mails_ended_at',
      replacement: '&& (!mails_ended_at || true)',
    },
    {
      what: 'a member who was removed is written to',
      text: '&& !removed_at',
      replacement: '&& (!removed_at || true)',
      equivalent: 'a removed member has no e-mail, so nobody is found by it',
    },
  ]),
  ...faultsIn(
    'shared/platform/basics/email.ts',
    ['test/shared/platform/basics/email.test.ts'],
    [
      {
        what: 'a group of addresses is one address',
        text: '    ADDRESS.test(text) &&\n',
        replacement: '    (ADDRESS.test(text) || /^[^\\s@]+@[^\\s@]+$/.test(text)) &&\n',
      },
      {
        what: 'an address may hold characters that stand for others',
        text: "return text.normalize('NFKC') === text;",
        replacement: "return text.normalize('NFC') === text || text !== '';",
      },
    ],
  ),
  ...faultsIn('shared/core/accounts/keys/refuse-key.ts', VIEWS, [
    {
      what: 'a key for all sets thresholds and asks, and may not read',
      text: "if (user_id !== null || scopes.includes('usage:read')) return;",
      replacement: 'if (user_id !== null || scopes.length > 0) return;',
    },
    {
      what: 'an organization has any number of keys',
      text: 'if (live.length >= KEYS_PER_ORGANIZATION)',
      replacement: 'if (live.length >= 10 * KEYS_PER_ORGANIZATION)',
      tests: ['test/api/members-and-keys.test.ts', 'test/api/organization-limits.test.ts'],
    },
  ]),
  ...faultsIn('shared/core/limits/enforcement/check/view.ts', VIEWS, [
    {
      what: 'a refusal names a budget that its caller does not see',
      text: 'name: isVisible(viewer, budget) ? budget.name : null,',
      replacement: 'name: isVisible(viewer, budget) ? budget.name : budget.name,',
    },
    {
      what: 'a check shows the amounts of budgets that its caller does not see',
      text: 'budgets: budgets.filter(({ budget }) => isVisible(viewer, budget)).map(viewJudged),',
      replacement:
        'budgets: budgets.filter(({ budget }) => isVisible(viewer, budget) || true).map(viewJudged),',
    },
  ]),
  {
    what: 'the words of a refusal name a budget that its caller does not see',
    file: 'shared/core/limits/enforcement/check/words.ts',
    text: 'const isSeen = isVisible(viewer, budget);',
    replacement: 'const isSeen = isVisible(viewer, budget) || true;',
    tests: VIEWS,
  },
  {
    what: 'what is reserved by a key that has just ended stays',
    file: 'shared/core/limits/enforcement/reserve/release-due.ts',
    text: 'if (lookMs < secondMs) {',
    replacement: 'if (lookMs < 0) {',
    tests: RESERVATIONS,
  },
  ...faultsIn('shared/core/accounts/keys/api-keys.ts', RESERVATIONS, [
    {
      what: 'a rotated key goes on holding what it reserved',
      text: 'planReleaseOfKey({ ...old, ...change }));',
      replacement: 'NO_PLAN);',
    },
    {
      what: 'a rotated key loses what it reserved before it ends',
      text: 'planReleaseOfKey({ ...old, ...change }));',
      replacement: 'planReleaseOfKey({ ...old, revoked_at: dateAt(ctx.clock.now()) }));',
    },
    {
      what: 'a key that expires goes on holding what it reserved',
      text: 'joinPlans(made, planReleaseOfKey(row))',
      replacement: 'joinPlans(made)',
    },
  ]),
  ...faultsIn('shared/core/accounts/keys/plan-release.ts', RESERVATIONS, [
    {
      what: 'a rotated key that expires goes on holding what it reserved',
      text: 'key.revoked_at ?? endOfKey(key)',
      replacement: 'key.revoked_at ?? key.retires_at ?? endOfKey(key)',
    },
    {
      what: 'a removed member goes on holding what gateways reserved',
      text: 'return planRelease(orgId, { user_id: userId }, endMs);',
      replacement: 'return userId === orgId ? planRelease(orgId, { user_id: userId }, endMs) : NO_PLAN;',
    },
  ]),
  {
    what: 'a person has any number of reservations open',
    file: 'shared/core/limits/enforcement/state/reserve.lua',
    text: 'if of_user and held[of_user] >= MOST_OPEN_OF_USER then',
    replacement: 'if of_user and held[of_user] >= 2 * MOST_OPEN_OF_USER then',
    tests: SHARES,
  },
  {
    what: 'an answer to a sign-in works again and again',
    file: 'api/people/sign-in-cookie.ts',
    text: 'return isFirst === null ? null : underWay;',
    replacement: 'return isFirst === null ? underWay : underWay;',
    tests: DASHBOARD,
  },
  {
    what: 'a Redis that takes no writes is a fault of ours',
    file: 'shared/platform/basics/errors.ts',
    text: '/^(OOM|MISCONF|READONLY|',
    replacement: '/^(READONLY|',
    tests: DASHBOARD,
  },
  ...faultsIn(
    'packages/governor/src/cursor.ts',
    ['test/packages/governor/sync.test.ts'],
    [
      {
        what: 'the cursor of a sync is for everybody on the machine',
        text: "{ mode: 0o600, flag: 'wx' }",
        replacement: "{ mode: 0o644, flag: 'wx' }",
      },
      {
        what: 'one sync takes away what another one noted',
        text: '{ ...readSent(cursorFile, target), ...sent }',
        replacement: 'sent',
      },
    ],
  ),
  {
    what: 'a name of our own machine with two dots behind it may be registered',
    file: 'shared/core/events/webhooks/endpoints/refuse-url.ts',
    text: "hostname.replace(/\\.+$/, '')",
    replacement: "hostname.replace(/\\.$/, '')",
    tests: ['test/shared/core/events/webhooks/endpoints/url-guard.test.ts', 'test/abuse/webhooks.test.ts'],
  },
  {
    what: 'a formula behind a blank is no formula',
    file: 'shared/platform/basics/csv.ts',
    text: "return AT_START.test(safe) ? `'",
    replacement: "return AT_START.test(safe) && safe === safe.trimStart() ? `'",
    tests: ['test/abuse/exports.test.ts'],
  },
  {
    what: 'the amounts of a refused reservation are told to whoever asks',
    file: 'api/schemas/usage-scope.ts',
    text: 'return isVisible(key, budget) ? budget : without(BUDGET_USAGE, budget);',
    replacement: 'return isVisible(key, budget) ? budget : budget;',
    tests: ['test/abuse/scopes.test.ts'],
  },
  {
    what: 'the price of a checkout that has changed is told as a fault of Stripe',
    file: 'shared/wings/purchases/stripe-api.ts',
    text: "if (type === 'idempotency_error')",
    replacement: "if (type === 'never')",
    tests: ['test/api/purchases.test.ts'],
  },
  {
    what: 'a Codex event without counts is a call of its own',
    file: 'shared/core/calls/adapters/codex.ts',
    text: "&& record.attributes.has('input_token_count');",
    replacement: ';',
    tests: [
      'test/shared/core/calls/adapters/adapters.test.ts',
      'test/shared/core/calls/adapters/recordings.test.ts',
    ],
  },
  ...faultsIn(
    'shared/core/calls/adapters/spans.ts',
    [
      'test/shared/core/calls/adapters/adapters.test.ts',
      'test/shared/core/calls/adapters/recordings.test.ts',
    ],
    [
      {
        what: 'opencode calls everybody one person',
        text: "|| user === 'unknown'",
        replacement: '',
      },
      {
        what: 'a call without counts costs nothing, and is computed',
        text: 'failure.error || hasUsage(record) ? {} : NO_USAGE',
        replacement: 'failure.error || hasUsage(record) ? {} : {}',
      },
    ],
  ),
  {
    what: 'a failed call of a long context is one of another model',
    file: 'shared/core/calls/adapters/claude-code.ts',
    text: 'reported.model.replace(/\\[1m\\]$/,',
    replacement: 'reported.model.replace(/\\[2m\\]$/,',
    tests: [
      'test/shared/core/calls/adapters/adapters.test.ts',
      'test/shared/core/calls/adapters/recordings.test.ts',
    ],
  },
  {
    what: 'a time in a Parquet file is a local one',
    file: 'shared/wings/exports/encode-parquet.ts',
    text: "converted_type: 'TIMESTAMP_MILLIS', logical_type: UTC_MILLIS }",
    replacement: "converted_type: 'TIMESTAMP_MILLIS' }",
    tests: ['test/shared/wings/exports/parquet.test.ts'],
  },
  {
    what: 'an older Node lets every call pass',
    file: 'packages/governor/src/require-node.ts',
    text: "process.argv.includes('--fail-closed') ? 2 : 1",
    replacement: "process.argv.includes('--fail-closed') ? 1 : 1",
    tests: ['test/packages/governor/packed.test.ts'],
  },
];
