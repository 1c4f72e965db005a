import { onTestFinished } from 'vitest';
import { grantCredits } from '../../../shared/core/credits/ledger/grant-credits.ts';
import { makeAccount, sha256, type TestAccount, untilOpen } from '../credits.ts';
import type { TestContext } from '../harness.ts';

export interface Attempt {
  account: TestAccount;
  key: string;
  /** The answer's bytes, once there was one. */
  answer: string | null;
  refused: boolean;
}

export interface Load {
  attempts: Attempt[];
  /** Statuses seen; `0` is no answer at all. */
  statuses: Map<number, number>;
  /** Ends the clients and repeats everything whose outcome is unknown until it is known. */
  finish(): Promise<void>;
}

/** How long no outcome may become known while they are asked for. */
const PATIENCE_MS = 60_000;

/** Accounts with more credits than any drill spends, once every shard is open (again). */
export async function makeRichAccounts(ctx: TestContext, count: number): Promise<TestAccount[]> {
  await untilOpen(ctx);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const account = await makeAccount(ctx);
      const { accountId } = account;
      await grantCredits(ctx, { accountId, bucket: 'paid', amount: 1_000_000, idempotencyKey: 'start' });
      return account;
    }),
  );
}

/**
 * Clients that spend side by side, together at most `perSecond`: enough for a kill to meet a spend at each step, and the
 * other tests keep some of the machine. A client gives up after 3 s: longer than any deadline.
 */
export function startLoad(
  url: () => string,
  accounts: readonly TestAccount[],
  options: { clients: number; random: () => number; perSecond?: number },
): Load {
  const { clients: count, random, perSecond = 400 } = options;
  const attempts: Attempt[] = [];
  const statuses = new Map<number, number>();
  let stopped = false;

  async function send(attempt: Attempt): Promise<void> {
    const status = await spendByHttp(url(), attempt);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  async function client(number: number): Promise<void> {
    for (let turn = 0; !stopped; turn += 1) {
      const account = accounts[Math.floor(random() * accounts.length)];
      if (!account) return;
      const attempt = { account, key: `c${number}-${turn}`, answer: null, refused: false };
      attempts.push(attempt);
      const next = new Promise((resolve) => setTimeout(resolve, (1_000 * count) / perSecond));
      await send(attempt);
      await next;
    }
  }

  // A test that fails leaves no clients to its second attempt, nor to the next test.
  onTestFinished(() => {
    stopped = true;
  });
  const clients = Array.from({ length: count }, (_, number) => client(number));
  return {
    attempts,
    statuses,
    finish: async () => {
      stopped = true;
      await Promise.all(clients);
      const unknown = attempts.filter((attempt) => attempt.answer === null && !attempt.refused);
      // However many there are: each that becomes known shows that the others will.
      let knownMs = performance.now();
      const settle = async (): Promise<void> => {
        for (let attempt = unknown.pop(); attempt; attempt = unknown.pop()) {
          while (attempt.answer === null && !attempt.refused) {
            await send(attempt);
            if (performance.now() - knownMs > PATIENCE_MS) throw new Error('outcomes stay unknown');
          }
          knownMs = performance.now();
        }
      };
      await Promise.all(Array.from({ length: 8 }, settle));
    },
  };
}

/** One request; notes its answer and returns the status, 0 when there was none. */
export async function spendByHttp(url: string, attempt: Attempt): Promise<number> {
  try {
    const response = await fetch(`${url}/v1/meter/consume`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${attempt.account.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': attempt.key,
      },
      body: JSON.stringify({ output_sha256: sha256(attempt.key) }),
      signal: AbortSignal.timeout(3_000),
    });
    const text = await response.text();
    if (response.status === 200) attempt.answer = text;
    if (response.status === 402) attempt.refused = true;
    return response.status;
  } catch {
    return 0;
  }
}
