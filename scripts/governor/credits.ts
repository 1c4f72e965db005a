import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { describeFailure } from '../../packages/governor/src/api/ask.ts';
import { withProgress } from '../../packages/governor/src/progress.ts';
import { parseObject } from '../../packages/governor/src/readers/history.ts';
import { replaceFile } from '../../packages/stack/files.ts';
import { makeSigningKey } from '../../packages/stack/make-secrets.ts';
import { recordAct } from '../../shared/core/accounts/audit/record-audit.ts';
import { catchUp } from '../../shared/core/credits/ledger/catch-up.ts';
import { findAccount } from '../../shared/core/credits/ledger/ensure-account.ts';
import { grantAudited } from '../../shared/core/credits/ledger/grant-credits.ts';
import { rebuildCredits } from '../../shared/core/credits/ledger/open-shards.ts';
import { openShards } from '../../shared/core/credits/ledger/open-when-connected.ts';
import { readLedger } from '../../shared/core/credits/ledger/read-ledger.ts';
import { reconcileCredits } from '../../shared/core/credits/ledger/reconcile.ts';
import { refundSpend } from '../../shared/core/credits/ledger/refund-spend.ts';
import { detailsOf } from '../../shared/core/credits/ledger/transaction.ts';
import { plansOf } from '../../shared/core/credits/meter/plans.ts';
import { readBalances } from '../../shared/core/credits/meter/read-balances.ts';
import { creditAccountRows } from '../../shared/core/credits/model.ts';
import { publishSigningKey } from '../../shared/core/credits/receipts/publish-keys.ts';
import { createSigner } from '../../shared/core/credits/receipts/signer.ts';
import { verifyReceipts } from '../../shared/core/credits/receipts/verify-receipts.ts';
import { IDEMPOTENCY_KEY } from '../../shared/platform/basics/contract.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { exchange } from '../../shared/platform/outward/exchange.ts';
import { parseInteger, parseTime } from './basics/input.ts';
import type { Run } from './basics/run.ts';

/** `credits`, `rebuild`, `signing-key` and `verify`. */
export function addCreditCommands(program: Command, run: Run): void {
  const credits = program.command('credits').description('Credits of members, and their ledger');
  addCredits(credits, run);
  addLedger(program, credits, run);
  addReceipts(program, run);
}

interface AddOptions {
  expiresAt?: Date;
  key?: string;
}

function addCredits(credits: Command, run: Run): void {
  for (const [name, bucket] of [
    ['grant', 'granted'],
    ['purchase', 'paid'],
  ] as const) {
    credits
      .command(`${name} <org_id> <user_id> <amount>`)
      .description(`Add ${bucket} credits, once per key`)
      .option('--expires-at <time>', 'when they expire, ISO 8601 (default: never)', parseTime)
      .option('--key <key>', 'idempotency key; default: a new one, which is printed first', parseKey)
      .action((orgId: string, userId: string, amount: string, { key, expiresAt }: AddOptions) =>
        run(async (ctx) => {
          const expires_at = expiresAt && Math.floor(expiresAt.getTime() / 1_000);
          const asked = { bucket, amount: parseAmount(amount), expires_at };
          const accountId = await openAccount(ctx, orgId, userId);
          const grant = { ...asked, idempotencyKey: key ?? newKey() };
          const member = { org_id: orgId, user_id: userId };
          const { transaction, replayed } = await grantAudited(ctx, member, { accountId, ...grant });
          return { ...transaction, replayed };
        }),
      );
  }
  credits
    .command('refund <org_id> <user_id> <transaction_id>')
    .description('Give the credit of one spend back, once; `credits ledger` shows its id')
    .action((orgId: string, userId: string, transactionId: string) =>
      run(async (ctx) => {
        const accountId = await openAccount(ctx, orgId, userId);
        await catchUp(ctx, accountId);
        const refund = await refundSpend(ctx, accountId, transactionId);
        const details = { user_id: userId, transaction_id: transactionId };
        const entry = { action: 'credits.refund', org_id: orgId, details } as const;
        await recordAct(ctx, entry, [accountId, transactionId]);
        return { ...refund };
      }),
    );
  credits
    .command('show <org_id> <user_id>')
    .description('Balances as they are now, and the id of the account')
    .action((orgId: string, userId: string) =>
      run(async (ctx) => {
        const account = await openAccount(ctx, orgId, userId);
        return { account, ...(await readBalances(ctx, account)) };
      }),
    );
  credits
    .command('plans')
    .description('Show what each plan gives (PLANS_FILE)')
    .action(() => run(async (ctx) => ({ ...plansOf(ctx) })));
}

/** Told before anything is granted: whoever gets no answer repeats the command with it, and grants once. */
function newKey(): string {
  const key = randomUUID();
  console.error(`governor: if this is interrupted, repeat it with --key ${key}`);
  return key;
}

async function openAccount(ctx: Context, orgId: string, userId: string): Promise<string> {
  await openShards(ctx);
  return findAccount(ctx, orgId, userId);
}

function addLedger(program: Command, credits: Command, run: Run): void {
  credits
    .command('ledger <org_id> <user_id>')
    .description('The newest transactions of a member, with their ids')
    .option('--limit <count>', 'how many', parseInteger, 20)
    .action((orgId: string, userId: string, { limit }: { limit: number }) =>
      run(async (ctx) => {
        const accountId = await openAccount(ctx, orgId, userId);
        return { transactions: await readNewest(ctx, accountId, limit) };
      }),
    );
  credits
    .command('reconcile')
    .description('Compare every balance with its ledger, and every answer of the last 48 h')
    .option('--repair', 'write a credit.adjust row where a ledger does not add up')
    .action((options: { repair?: boolean }) =>
      run(async (ctx) => {
        await openShards(ctx);
        const result = await withProgress(ctx.clock, ({ update }) =>
          reconcileCredits(ctx, { repair: options.repair === true, records: true, onProgress: update }),
        );
        if (options.repair)
          await recordAct(ctx, { action: 'credits.repair', org_id: null, details: { ...result } });
        return { ...result };
      }),
    );
  program
    .command('rebuild')
    .description('Set every balance in Redis to what the ledger says; spends are refused meanwhile')
    .action(() =>
      run(async (ctx) => {
        await openShards(ctx);
        const accounts = await creditAccountRows(ctx).countDocuments({});
        const recovery = await withProgress(ctx.clock, ({ update }) =>
          rebuildCredits(ctx, { onAccount: (done) => update(done, accounts) }),
        );
        await recordAct(ctx, { action: 'credits.rebuild', org_id: null, details: { ...recovery } });
        return { ...recovery };
      }),
    );
}

async function readNewest(ctx: Context, accountId: string, limit: number) {
  const page = { beforeSeq: null, limit, include: 'details' } as const;
  const chunks = await Array.fromAsync(readLedger(ctx, accountId, {}, page));
  return chunks.flat().map(detailsOf());
}

function addReceipts(program: Command, run: Run): void {
  program
    .command('signing-key')
    .description('The key that signs receipts')
    .command('rotate')
    .description('Replace the key file; the old public key stays, so old receipts can be checked')
    .option('--file <file>', 'default: SIGNING_KEY_FILE, else signing-key.json in the data folder')
    .action((options: { file?: string }) =>
      run(async (ctx) => {
        const { data } = program.opts<{ data: string }>();
        return rotateSigningKey(ctx, options.file ?? keyFileOf(ctx, data));
      }),
    );
  program
    .command('verify <file>')
    .description('Check receipts offline: one JWS per line, or answers of consume')
    .addOption(new Option('--jwks <where>', 'file or URL').makeOptionMandatory())
    .action(async (file: string, { jwks }: { jwks: string }) => {
      const keys = await readKeySet(jwks);
      const checked = await verifyReceipts((await open(file)).readLines(), keys);
      const { json } = program.opts<{ json?: boolean }>();
      if (json) console.log(JSON.stringify(checked));
      else {
        for (const { line, problem } of checked.bad) console.log(`line ${line}: ${problem}`);
        console.log(`${checked.good} good, ${checked.bad.length} bad`);
      }
      if (checked.bad.length > 0 || checked.good === 0) process.exitCode = 1;
    });
}

/** Throws `conflict` where the apis sign with another key, so that a new file would change nothing. */
function keyFileOf({ config }: Context, data: string): string {
  if (config.signingKeyFile) return config.signingKeyFile;
  if (config.signingKey)
    throw new DomainError(
      'conflict',
      'The key is in SIGNING_KEY, which only you can replace: take it out of .env, run `npm run secrets`, and restart the apis.',
    );
  return join(data, 'signing-key.json');
}

async function rotateSigningKey(ctx: Context, file: string): Promise<Record<string, unknown>> {
  if (existsSync(file)) {
    const old = createSigner({ ...ctx.config, signingKeyFile: file }, ctx.log);
    const oldKey = old.publicKey();
    old.close();
    if (oldKey) await publishSigningKey(ctx, oldKey);
  }
  const text = JSON.stringify(makeSigningKey());
  // Its public half is known before anything is signed with it; the file changes in one step.
  const fresh = createSigner({ ...ctx.config, signingKeyFile: undefined, signingKey: text }, ctx.log);
  const freshKey = fresh.publicKey();
  fresh.close();
  if (!freshKey) throw new Error('The new signing key cannot be used');
  await publishSigningKey(ctx, freshKey);
  replaceFile(file, text);
  const { kid } = freshKey;
  await recordAct(ctx, { action: 'signing-key.rotate', org_id: null, details: { kid } });
  return { kid, file };
}

/** Reads a JSON Web Key Set of a file or an address. Throws `invalid_request` and `not_found`. */
export async function readKeySet(where: string): Promise<unknown> {
  const text = /^https?:/.test(where) ? await download(where) : readFileSync(where, 'utf8');
  const keys = parseObject(text);
  if (!Array.isArray(keys?.keys))
    throw new DomainError('invalid_request', `${where} is no JSON Web Key Set.`);
  return keys;
}

async function download(url: string): Promise<string> {
  const answer = await exchange(url, {}, { deadlineMs: 10_000, mostBytes: 1_048_576 }).catch((cause) => {
    throw new Error(`${url} cannot be read: ${describeFailure(cause)}`, { cause });
  });
  if (!answer.ok) throw new DomainError('not_found', `${url} answered ${answer.status}.`);
  return answer.text();
}

/** As the api takes it: an empty one would be the same for whoever's variable is not set. */
function parseKey(value: string): string {
  if (!IDEMPOTENCY_KEY.test(value))
    throw new InvalidArgumentError('It must be 1 to 128 printable ASCII characters without a comma.');
  return value;
}

function parseAmount(value: string): number {
  const amount = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (amount < 1 || amount > 1_000_000_000)
    throw new InvalidArgumentError('The amount must be a whole number from 1 to 1,000,000,000.');
  return amount;
}
