/** The variables that production judges more strictly than development does. */
interface Judged {
  BASE_URL?: string | undefined;
  OIDC_ISSUER?: string | undefined;
  OIDC_JWKS_URL?: string | undefined;
  STRIPE_API_BASE?: string | undefined;
  OPERATOR_TOKEN?: string | undefined;
  API_KEY_PEPPER?: string | undefined;
  CURSOR_SECRET?: string | undefined;
  SESSION_SECRET?: string | undefined;
  WEBHOOK_SECRET_KEYS?: string | undefined;
  WEBHOOK_ALLOWED_NETWORKS?: readonly string[] | undefined;
  RATE_LIMITS?: boolean | undefined;
  TIME_SCALE?: number | undefined;
}

/** The least bits of a network's prefix: fewer would take the guard away from a good part of the internet. */
const LEAST_PREFIX = { 4: 8, 6: 32 } as const;
/** fc00::/7, the private addresses of IPv6 (RFC 4193). */
const UNIQUE_LOCAL = /^f[cd]/i;

/**
 * Returns the faults of the variables that could be read, in production, one line each: the variable's name without its value.
 * Secrets must be random: no placeholder, no repeated character, no two alike.
 */
export function faultsInProduction(values: Judged): string[] {
  const wrong = secretFaults(values);
  if (values.BASE_URL === undefined)
    wrong.push('BASE_URL: must say in production where people reach the service');
  for (const name of ['OIDC_ISSUER', 'OIDC_JWKS_URL'] as const) {
    if (values[name]?.startsWith('http:'))
      wrong.push(`${name}: must be https in production (the embedded identity provider is for development)`);
  }
  if (values.STRIPE_API_BASE?.startsWith('http:'))
    wrong.push('STRIPE_API_BASE: must be https in production, because the secret key is sent there');
  if (values.WEBHOOK_ALLOWED_NETWORKS?.some(isTooWide))
    wrong.push('WEBHOOK_ALLOWED_NETWORKS: a network is too wide (at least /8 for IPv4, /32 for IPv6)');
  if (values.TIME_SCALE !== undefined && values.TIME_SCALE !== 1)
    wrong.push('TIME_SCALE: shortens waits for development; refused in production');
  if (values.RATE_LIMITS === false) wrong.push('RATE_LIMITS: may be off outside production only');
  return wrong;
}

function secretFaults(values: Judged): string[] {
  const { OPERATOR_TOKEN, API_KEY_PEPPER, CURSOR_SECRET, SESSION_SECRET, WEBHOOK_SECRET_KEYS } = values;
  const texts = Object.entries({ OPERATOR_TOKEN, API_KEY_PEPPER, CURSOR_SECRET, SESSION_SECRET });
  const keys = WEBHOOK_SECRET_KEYS?.split(',') ?? [];
  const secrets = [
    ...texts.flatMap(([name, secret]) => (secret === undefined ? [] : [[name, secret] as const])),
    ...keys.map((key) => ['WEBHOOK_SECRET_KEYS', key.split(':')[1] ?? ''] as const),
  ];
  const placeholders = secrets.filter(([, secret]) => isPlaceholder(secret));
  const repeated = secrets.filter(([, secret], at) =>
    secrets.some(([, other], first) => first < at && other === secret),
  );
  const remedy = 'npm run secrets makes one';
  return [
    ...new Set([
      ...placeholders.map(([name]) => `${name}: is a placeholder, not a random secret (${remedy})`),
      ...repeated.map(([name]) => `${name}: is equal to another secret (${remedy})`),
    ]),
  ];
}

/** True of published examples, and of one character or byte over and over. */
function isPlaceholder(secret: string): boolean {
  const isRepeated = (units: Iterable<unknown>) => new Set(units).size === 1;
  const bytes = Buffer.from(secret, 'base64');
  return /change.?me/i.test(secret) || isRepeated(secret) || isRepeated(bytes);
}

function isTooWide(network: string): boolean {
  const version = network.includes(':') ? 6 : 4;
  const isPrivate = version === 6 && UNIQUE_LOCAL.test(network);
  return Number(network.split('/')[1]) < (isPrivate ? 7 : LEAST_PREFIX[version]);
}
