import { createHash } from 'node:crypto';
import { exchange } from '../../shared/platform/outward/exchange.ts';
import type { DemoOrganization } from './file.ts';
import { LIMITS } from './send.ts';

/** The members who have spent credits, by their place, and how many each: the others have all that their plan gives. */
const SPENT: readonly [member: number, credits: number][] = [
  [6, 34],
  [8, 9],
  [11, 87],
];

/**
 * Spends credits of three members of the first demo organization by their devices, the way every device spends. The keys
 * name the play, so that a repeat spends nothing. Throws when a spend is refused.
 */
export async function spendDemoCredits(
  api: string,
  { org_id, members }: Pick<DemoOrganization, 'org_id' | 'members'>,
  signal: AbortSignal,
): Promise<void> {
  for (const [place, credits] of SPENT) {
    const token = members[place]?.device?.device_token;
    if (token === undefined) continue;
    for (let number = 0; number < credits; number += 1)
      await spend(api, { token, key: `demo-${org_id}-${place}-${number}`, signal });
  }
}

async function spend(
  api: string,
  { token, key, signal }: { token: string; key: string; signal: AbortSignal },
): Promise<void> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  };
  const body = JSON.stringify({ output_sha256: createHash('sha256').update(key).digest('hex') });
  const response = await exchange(
    `${api}/v1/meter/consume`,
    { method: 'POST', signal, headers, body },
    LIMITS,
  );
  if (!response.ok) throw new Error(`a spend answered ${response.status}: ${await response.text()}`);
}
