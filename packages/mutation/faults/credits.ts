import { type Fault, faultsIn } from '../fault.ts';

const SPENDS = ['test/shared/core/credits/consume.test.ts', 'test/shared/core/credits/bucket-order.test.ts'];
const CHANGES = ['test/shared/core/credits/change.test.ts'];
const LEDGER = [
  'test/shared/core/credits/project-ledger.test.ts',
  'test/shared/core/credits/recover.test.ts',
];

const PURCHASE = ['test/api/purchases.test.ts', 'test/abuse/purchases.test.ts'];

const METER = 'shared/core/credits/meter';
const PURCHASES = 'shared/wings/purchases';

export const CREDIT_FAULTS: readonly Fault[] = [
  ...faultsIn(`${METER}/consume.lua`, SPENDS, [
    {
      what: 'a spend goes through a paused shard',
      text: "if redis.call('GET', epoch) ~= mine then return { 'paused' } end",
      replacement: '',
      tests: [...SPENDS, ...LEDGER],
    },
    {
      what: 'a command that arrives after its deadline spends',
      text: "if clock > tonumber(deadline) then return { 'late' } end",
      replacement: '',
      tests: [...SPENDS, 'test/drills/redis-faults.test.ts'],
    },
    {
      what: 'the token of a device is not compared',
      text: 'if not device or hmac ~= token_hmac then',
      replacement: 'if not device then',
      tests: [...SPENDS, 'test/api/credits.test.ts', 'test/abuse/credits.test.ts'],
    },
    {
      what: 'a key is taken for another output',
      text: "if known_fingerprint ~= fingerprint then return { 'reused' } end",
      replacement: '',
      tests: [...SPENDS, 'test/api/credits.test.ts'],
    },
    {
      what: 'monthly credits are spent before those of the window',
      text: "return credits.window > 0 and 'window' or credits.monthly > 0 and 'monthly' or",
      replacement: "return credits.monthly > 0 and 'monthly' or credits.window > 0 and 'window' or",
    },
    {
      what: 'the record of a spend is not kept',
      text: "write_record(record, fingerprint, at, kept_s, last_seq .. ',' .. entry)",
      replacement: '',
    },
    {
      what: 'the ledger stream may grow without end',
      text: "if redis.call('XLEN', stream) >= most_entries then return { 'full' } end",
      replacement: '',
      tests: [...SPENDS, 'test/drills/redis-faults.test.ts'],
    },
    {
      what: 'the time of an account may fall',
      text: 'local at = int(math.max(tonumber(account[3]), math.floor(now / 1000)))',
      replacement: 'local at = int(math.floor(now / 1000))',
      tests: [...SPENDS, ...LEDGER, 'test/laws/credits.test.ts'],
    },
    {
      what: 'a spend that fails takes those beside it along',
      text: 'local ok, reply = pcall(spend, 4 * index + 1, 9 * index + 5)',
      replacement: 'local ok, reply = true, spend(4 * index + 1, 9 * index + 5)',
    },
    {
      what: 'a plan that gives no credits promises a refill',
      text: "window_credits > 0 and window_end or ''",
      replacement: 'window_end',
      tests: CHANGES,
    },
  ]),
  {
    what: 'a grant goes through a paused shard',
    file: `${METER}/change.lua`,
    text: "if not is_open(KEYS[1]) then return { 'paused', clock } end",
    replacement: '',
    tests: [...CHANGES, ...LEDGER],
  },
  ...faultsIn(`${METER}/call-consume.ts`, SPENDS, [
    {
      what: 'a spend gets the answer of another one beside it',
      text: '(await batch.replies)[place]',
      replacement: '(await batch.replies).at(place - 1)',
    },
    {
      what: 'a paused shard refuses every spend of a script call',
      text: "if (code === 'paused') throw rebuilding();",
      replacement: "if ((await batch.replies).some(([told]) => told === 'paused')) throw rebuilding();",
    },
    {
      what: 'spends of several shards share a script call in a cluster',
      text: 'slotName(ctx.redis.meter, call.keys.shard)',
      replacement: '0',
      tests: ['test/drills/cluster.test.ts'],
    },
  ]),
  ...faultsIn(
    `${METER}/prelude.lua`,
    [...SPENDS, 'test/laws/credits.test.ts'],
    [
      {
        what: 'a period goes on in its last millisecond',
        text: 'if now >= period.to then return nil, period.left end',
        replacement: 'if now > period.to then return nil, period.left end',
      },
      {
        what: 'expired lots are spent',
        text: 'return lot.expires == 0 or lot.expires > now',
        replacement: 'return true',
        tests: [...SPENDS, ...CHANGES],
      },
      {
        what: 'the lot that expires last is spent first',
        text: 'or lots[index].expires <= lot.expires)',
        replacement: 'or lots[index].expires >= lot.expires)',
        tests: [...SPENDS, ...CHANGES, 'test/laws/credits.test.ts'],
      },
    ],
  ),
  {
    what: 'a promoted replica counts as the same Redis',
    file: 'shared/platform/redis/identity.lua',
    text: 'return string.sub(info, history + 15, history + 54)',
    replacement:
      "local process = redis.call('INFO', 'server') local at = string.find(process, '\\nrun_id:', 1, true) return string.sub(process, at + 8, at + 47)",
    tests: ['test/shared/core/credits', 'test/drills/failover.test.ts'],
  },
  ...faultsIn(
    `${METER}/refund.lua`,
    [...CHANGES, 'test/laws/credits.test.ts'],
    [
      {
        what: 'a refund gives a period more than it may hold',
        text: 'or period.left >= period.limit then return nil end',
        replacement: 'then return nil end',
        equivalent:
          'limit - left is what was used, whatever plans came and went, and a spend is refunded once',
      },
      {
        what: 'a refund goes into the next period',
        text: 'if not period or int(period.from) ~= ARGV[6] or',
        replacement: 'if not period or',
        tests: CHANGES,
      },
    ],
  ),
  ...faultsIn(
    'shared/core/credits/ledger/fence.ts',
    [...LEDGER, 'test/drills/projector.test.ts'],
    [
      {
        what: 'a worker that was stopped binds the ledger to a Redis that is gone',
        text: "filter: { _id: fenceId(shard), epoch: fences.get(shard)?.epoch ?? '' },",
        replacement: 'filter: { _id: fenceId(shard) },',
        tests: LEDGER,
      },
    ],
  ),
  ...faultsIn(
    'shared/core/credits/ledger/project-ledger.ts',
    ['test/shared/core/credits', 'test/drills/failover.test.ts'],
    [
      {
        what: 'a projector writes what it read from another Redis',
        text: 'const isBound = beforeOpening || identity === fence.epoch;',
        replacement: 'const isBound = true;',
      },
    ],
  ),
  ...faultsIn(
    'shared/core/credits/ledger/plan-credit-events.ts',
    ['test/shared/core/credits/credit-events.test.ts'],
    [
      {
        what: 'a grant does not arm the alert again',
        text: 'if (isAbove && isLift(step.row)) alerts[level] = false;',
        replacement: '',
      },
    ],
  ),
  ...faultsIn(`${PURCHASES}/stripe-signature.ts`, PURCHASE, [
    {
      what: 'an event of Stripe is taken whoever signed it',
      text: 'timingSafeEqual(expected',
      replacement: "timingSafeEqual(Buffer.from(digest, 'hex')",
    },
    {
      what: 'an old event of Stripe is taken',
      text: 'Math.abs(Number(signedAt) - nowMs / 1_000) > TOLERANCE_S',
      replacement: 'Number(signedAt) < 0',
    },
  ]),
  {
    what: 'a Checkout Session is granted to whom an event names',
    file: 'shared/wings/purchases/take-stripe-event.ts',
    text: 'if (owner !== accountId)',
    replacement: "if (owner === '')",
    tests: ['test/abuse/purchases.test.ts'],
  },
  {
    what: 'an event of Stripe from the future is taken',
    file: 'shared/wings/purchases/stripe-signature.ts',
    text: 'if (Math.abs(Number(signedAt) - nowMs / 1_000) > TOLERANCE_S)',
    replacement: 'if (nowMs / 1_000 - Number(signedAt) > TOLERANCE_S)',
    tests: ['test/abuse/purchases.test.ts'],
  },
  ...faultsIn(`${PURCHASES}/take-stripe-event.ts`, PURCHASE, [
    {
      what: 'each event of Stripe grants',
      text: 'idempotencyKey: checkoutId }',
      replacement: 'idempotencyKey: checkoutId + ctx.clock.now() + Math.random() }',
    },
  ]),
  ...faultsIn('shared/core/credits/ledger/restore-accounts.ts', LEDGER, [
    {
      what: 'a rebuild goes by the clock of the worker',
      text: 'await creditNow(ctx, shardOf(accountId))',
      replacement: 'ctx.clock.now()',
    },
    {
      what: 'a restored record is kept for two days anew',
      text: "'EX', leftS, 'NX'",
      replacement: "'EX', RECORD_KEPT_S + 0 * leftS, 'NX'",
      tests: ['test/shared/core/credits/recover.test.ts'],
    },
  ]),
  {
    what: 'the entries of a stalled shard count as none',
    file: 'shared/core/credits/ledger/catch-up.ts',
    text: 'if (stalled.size > 0) throw lagging();',
    replacement: 'if (stalled.size > 0) return;',
    tests: LEDGER,
  },
  {
    what: 'paid credits find no place beside a hundred lots',
    file: `${METER}/add-lot.lua`,
    text: 'if is_full and expires ~= 0 then',
    replacement: 'if is_full then',
    tests: CHANGES,
  },
  {
    what: 'two repairs at once both write',
    file: `${METER}/adjust.lua`,
    text: 'if int(seq) == ARGV[5] then',
    replacement: 'if true then',
    tests: LEDGER,
  },
  ...faultsIn('shared/core/credits/ledger/reconcile.ts', CHANGES, [
    {
      what: 'an account that never reached Redis stays out of it',
      text: 'await ensureAccount(ctx, account);',
      replacement: '{}',
    },
    {
      what: 'the plan that an older Redis has forgotten stays forgotten',
      text: 'return account.plan !== plan || (record !== null && record.plan !== plan);',
      replacement: 'return account.plan !== plan && (record === null || record.plan !== plan);',
      tests: ['test/shared/core/credits/change.test.ts'],
    },
  ]),
  {
    what: 'the log shows a piece of a signing key that is not JSON',
    file: 'shared/core/credits/receipts/signer.ts',
    text: "throw new Error('What SIGNING_KEY_FILE or SIGNING_KEY gives is not JSON');",
    replacement: 'return JSON.parse(text);',
    tests: ['test/shared/core/credits/verify-receipts.test.ts'],
  },
  {
    what: 'a parameter of a form that is empty has a value',
    file: 'api/serve/body.ts',
    text: "return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));",
    replacement: 'return { ...form };',
    tests: ['test/api/devices.test.ts'],
  },
  ...faultsIn(
    'shared/core/credits/ledger/grant-credits.ts',
    ['test/shared/core/credits/change.test.ts'],
    [
      {
        what: 'a grant that is repeated with another expiry is answered as the first',
        text: "digest('grant', bucket, amount, expiresAt ?? 0)",
        replacement: "digest('grant', bucket, amount, 0)",
      },
    ],
  ),
  ...faultsIn(
    'shared/core/credits/ledger/open-shards.ts',
    ['test/shared/core/credits/recover.test.ts'],
    [
      {
        what: 'a shard whose stream is stalled is rebuilt without the entries of it',
        text: 'new Map([...stalled].filter(([shard]) => rebuilding.has(shard)))',
        replacement: 'new Map([...stalled].filter(([shard]) => rebuilding.has(shard) && shard < 0))',
        tests: ['test/shared/core/credits/project-ledger.test.ts'],
      },
      {
        what: 'a long rebuild loses its hold',
        text: '() => renewHolds(ctx, held, lease)',
        replacement: 'async () => void [renewHolds, held]',
      },
      {
        what: 'a rebuild that has failed keeps its shards paused',
        text: 'await Promise.all([...held.keys()].map((shard) => releaseShard(',
        replacement: 'await Promise.all([...held.keys()].slice(64).map((shard) => releaseShard(',
      },
    ],
  ),
];
