import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { recordAudit, recordAuditOnce } from '../../shared/audit/record-audit.ts';
import { findAccount } from '../../shared/credits/find-account.ts';
import { grantCredits } from '../../shared/credits/grant.ts';
import { readBalances } from '../../shared/credits/read-balance.ts';
import { catchUp } from '../../shared/credits/read-ledger.ts';
import { reconcileCredits } from '../../shared/credits/reconcile.ts';
import { rebuildCredits, recoverCredits } from '../../shared/credits/recover.ts';
import { refundSpend } from '../../shared/credits/refund.ts';
import { createSigner } from '../../shared/credits/signer.ts';
import { publishSigningKey } from '../../shared/credits/signing-keys.ts';
import { verifyReceipts } from '../../shared/credits/verify-receipts.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { waitUntilReady } from '../../shared/platform/redis/connect.ts';
import { parseInteger } from './organizations.ts';
import type { Run } from './run.ts';

/** `credits`, `rebuild`, `signing-key` and `verify`. */
export function addCreditCommands(program: Command, run: Run): void {
  const credits = program.command('credits').description('Credits of a member');
  addCredits(credits, run);
  addLedger(program, credits, run);
  addReceipts(program, run);
}

interface AddOptions {
  expiresAt?: number;
  key: string;
}

function addCredits(credits: Command, run: Run): void {
  for (const [name, bucket] of [
    ['grant', 'granted'],
    ['purchase', 'paid'],
  ] as const) {
    credits
      .command(`${name} <org_id> <user_id> <amount>`)
      .description(`Add ${bucket} credits, once per idempotency key`)
      .option('--expires-at <seconds>', 'when they expire, in Unix seconds (default: never)', parseInteger)
      .option('--key <key>', 'idempotency key', randomUUID())
      .action((orgId: string, userId: string, amount: string, options: AddOptions) =>
        run((ctx) => add(ctx, { orgId, userId, bucket, amount: parseAmount(amount), ...options })),
      );
  }
  credits
    .command('refund <org_id> <user_id> <seq>')
    .description('Give the credit of one spend back, once; <seq> is the number of its ledger row')
    .action((orgId: string, userId: string, seq: string) =>
      run(async (ctx) => {
        const accountId = await openAccount(ctx, orgId, userId);
        await catchUp(ctx, accountId);
        const answer = await refundSpend(ctx, accountId, parseInteger(seq));
        const details = { user_id: userId, seq: Number(seq) };
        const entry = { action: 'credits.refund', org_id: orgId, details };
        await recordAuditOnce(ctx, entry, [accountId, String(details.seq)]);
        return JSON.parse(answer) as Record<string, unknown>;
      }),
    );
  credits
    .command('show <org_id> <user_id>')
    .description('Balances as they are now')
    .action((orgId: string, userId: string) =>
      run(async (ctx) => readBalances(ctx, await openAccount(ctx, orgId, userId))),
    );
  credits
    .command('plans')
    .description('What each plan gives (PLANS_FILE)')
    .action(() => run(async (ctx) => ({ ...ctx.plans })));
}

async function add(
  ctx: Context,
  given: AddOptions & { orgId: string; userId: string; bucket: 'paid' | 'granted'; amount: number },
): Promise<Record<string, unknown>> {
  const { orgId, userId, bucket, amount, expiresAt, key } = given;
  const accountId = await openAccount(ctx, orgId, userId);
  const { transaction, replayed } = await grantCredits(ctx, {
    accountId,
    bucket,
    amount,
    expires_at: expiresAt,
    idempotencyKey: key,
  });
  const details = { user_id: userId, bucket, amount, expires_at: expiresAt ?? null };
  await recordAuditOnce(ctx, { action: 'credits.add', org_id: orgId, details }, [accountId, key]);
  return { ...transaction, replayed };
}

/** Redis may not be connected yet, and nobody may have opened its shards. */
async function openAccount(ctx: Context, orgId: string, userId: string): Promise<string> {
  await openShards(ctx);
  return findAccount(ctx, orgId, userId);
}

async function openShards(ctx: Context): Promise<void> {
  await Promise.all([waitUntilReady(ctx.redis.meter, 5_000), waitUntilReady(ctx.redis.producer, 5_000)]);
  await recoverCredits(ctx);
}

function addLedger(program: Command, credits: Command, run: Run): void {
  credits
    .command('reconcile')
    .description('Compare every balance with its ledger')
    .option('--repair', 'write a credit.adjust row where a ledger does not add up')
    .action((options: { repair?: boolean }) =>
      run(async (ctx) => {
        await openShards(ctx);
        const result = await reconcileCredits(ctx, { repair: options.repair === true });
        if (options.repair)
          await recordAudit(ctx, { action: 'credits.repair', org_id: null, details: { ...result } });
        return { ...result };
      }),
    );
  program
    .command('rebuild')
    .description('Set every balance in Redis to what the ledger says; spends are refused meanwhile')
    .action(() =>
      run(async (ctx) => {
        await openShards(ctx);
        const recovery = await rebuildCredits(ctx);
        await recordAudit(ctx, { action: 'credits.rebuild', org_id: null, details: { ...recovery } });
        return { ...recovery };
      }),
    );
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
        const file = options.file ?? ctx.config.signingKeyFile ?? join(data, 'signing-key.json');
        return rotateSigningKey(ctx, file);
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

async function rotateSigningKey(ctx: Context, file: string): Promise<Record<string, unknown>> {
  if (existsSync(file)) {
    const old = createSigner({ ...ctx.config, signingKeyFile: file }, ctx.log);
    await publishSigningKey({ ...ctx, signer: old });
    old.close();
  }
  const kid = `k${randomBytes(6).toString('hex')}`;
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const text = JSON.stringify({ ...jwk, kid, alg: 'Ed25519', use: 'sig' });
  // Its public half is known before anything is signed with it; the file changes in one step.
  const fresh = createSigner({ ...ctx.config, signingKeyFile: undefined, signingKey: text }, ctx.log);
  await publishSigningKey({ ...ctx, signer: fresh });
  fresh.close();
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  await recordAudit(ctx, { action: 'signing-key.rotate', org_id: null, details: { kid } });
  return { kid, file };
}

async function readKeySet(where: string): Promise<unknown> {
  if (!/^https?:/.test(where)) return JSON.parse(readFileSync(where, 'utf8'));
  const answer = await fetch(where, { signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new DomainError('not_found', `${where} answered ${answer.status}.`);
  return answer.json();
}

function parseAmount(value: string): number {
  const amount = parseInteger(value);
  if (amount < 1 || amount > 1_000_000_000) throw new InvalidArgumentError('It must be 1..1000000000.');
  return amount;
}
