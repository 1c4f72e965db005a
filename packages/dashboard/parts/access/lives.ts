/** How long a key may live: labels by the days from now; '' is for ever. */
export const LIVES = { '': 'never', '30d': 'in 30 days', '90d': 'in 90 days', '365d': 'in a year' };
export type Life = keyof typeof LIVES;

const DAY_S = 86_400;

/** The field of a new key by which it expires; none for one that never does. */
export function expiryOf(life: Life): { expires_at?: number } {
  if (life === '') return {};
  return { expires_at: Math.floor(Date.now() / 1_000) + Number.parseInt(life, 10) * DAY_S };
}
