import { z } from 'zod';
import { IN_PLAIN_WORDS } from './faults.ts';
import { faultsInProduction } from './production.ts';
import { StartFault } from './start-fault.ts';

const integer = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
const httpUrl = z.url({ protocol: /^https?$/ });
const redisUrl = z.url({
  protocol: /^rediss?$/,
  // Undefined says in the usual words that it is missing.
  error: ({ input }) =>
    input === undefined ? undefined : 'must be a URL that begins with redis:// or rediss://',
});
const mongoUrl = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\//, { error: 'must begin with mongodb:// or mongodb+srv://', abort: true })
  .regex(/^[^:]+:\/\/[^/?]+\/[^/?]+/, 'must name a database, such as mongodb://HOST/governor')
  .refine((url) => !/[?&]retryWrites=false/i.test(url), 'must not have retryWrites=false');
const flag = z.stringbool({ truthy: ['on', 'true', '1'], falsy: ['off', 'false', '0'] });
const list = z.string().transform((value) => value.split(',').map((item) => item.trim()));

/** Every environment variable; `.env.example` explains them. */
const environment = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  PORT: integer(8080, 0, 65_535),
  HOST: z.string().default('0.0.0.0'),
  WORKER_PORT: integer(8081, 0, 65_535),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  BASE_URL: httpUrl.optional(),
  TRUST_PROXY_HOPS: integer(0, 0, 10),
  SHUTDOWN_DELAY_S: integer(0, 0, 300),
  MONGODB_URL: mongoUrl,
  REDIS_URL: redisUrl,
  REDIS_CLUSTER_NODES: z
    .string()
    .regex(/^[^\s,]+:\d+(,[^\s,]+:\d+)*$/, 'must be host:port[,host:port…]')
    .optional(),
  QUEUE_REDIS_URL: redisUrl.optional(),
  CA_FILE: z.string().startsWith('/', 'must be an absolute path').optional(),
  OPERATOR_TOKEN: z.string().min(24, 'needs at least 24 characters'),
  API_KEY_PEPPER: z.string().min(32, 'needs at least 32 characters'),
  CURSOR_SECRET: z.string().min(32, 'needs at least 32 characters'),
  SESSION_SECRET: z.string().min(32, 'needs at least 32 characters'),
  OIDC_ISSUER: httpUrl.optional(),
  OIDC_JWKS_URL: httpUrl.optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_TOKEN_TYPE: z.string().min(1).default('at+jwt'),
  OIDC_MAX_TOKEN_AGE_S: integer(86_400, 60, 31_536_000),
  MCP_AUDIENCE: z.string().min(1).optional(),
  MCP_ALLOWED_ORIGINS: list
    .default([])
    .pipe(
      z.array(
        httpUrl.refine(
          (url) => new URL(url).origin === url,
          'must be origins, such as https://app.example.com',
        ),
      ),
    ),
  SIGNING_KEY_FILE: z.string().optional(),
  SIGNING_KEY: z.string().optional(),
  PLANS_FILE: z.string().default('plans.json'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_/, 'must be a secret key (sk_…) or a restricted one (rk_…)')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_.{16}/, 'must be the signing secret of the webhook endpoint (whsec_…)')
    .optional(),
  STRIPE_API_BASE: httpUrl.default('https://api.stripe.com'),
  LEDGER_STREAM_ENTRIES_PER_SHARD: integer(50_000, 10, 10_000_000),
  REDIS_WAIT_REPLICAS: integer(0, 0, 10),
  WEBHOOK_SECRET_KEYS: z
    .string()
    .regex(
      /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=)*$/,
      'must be id:base64 of 32 bytes, the current one first, older ones after commas',
    ),
  WEBHOOK_PORTS: list.default([]).pipe(z.array(z.coerce.number<string>().int().min(1).max(65_535))),
  WEBHOOK_ALLOWED_NETWORKS: list.default([]).pipe(z.array(z.union([z.cidrv4(), z.cidrv6()]))),
  WEBHOOKS_PER_ORGANIZATION: integer(250, 1, 10_000),
  MAILS_PER_ORGANIZATION: integer(500, 20, 10_000),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
    .optional(),
  SUPPORT_CONTACT: z.string().min(1).max(200).optional(),
  MAIL_FROM: z.string().default('usage-governor <usage-governor@localhost>'),
  OTLP_BODY_BYTES: integer(16_777_216, 65_536, 268_435_456),
  RAISE_PENDING_S: integer(259_200, 60, 2_678_400),
  GATE_ESTIMATE_USD: z.coerce.number().min(0).max(1_000_000).default(0.05),
  RATE_LIMITS: flag.default(true),
  RATE_LIMIT_PER_KEY: integer(600, 1, 1_000_000),
  RATE_LIMIT_PER_ADDRESS: integer(600, 1, 1_000_000),
  BAD_CREDENTIALS_PER_MINUTE: integer(60, 1, 1_000_000),
  MAX_CONNECTIONS: integer(10_000, 1, 1_000_000),
  MAX_GROUPS: integer(10_000, 1, 1_000_000),
  MODELS_PER_SESSION: integer(100, 1, 10_000),
  VALUES_PER_DAY: integer(1_000_000, 1, 1_000_000_000),
  EXPORT_S3_ENDPOINTS: list
    .default([])
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^https?:\/\/(?:\*\.)?[a-z0-9.-]+(?::\d{1,5})?$/,
            'must be origins, such as https://s3.example.com or https://*.amazonaws.com',
          ),
      ),
    ),
  EXPORT_FOLDER: z.string().startsWith('/', 'must be an absolute path').optional(),
  EXPORT_SPOOL_DIR: z.string().startsWith('/', 'must be an absolute path').optional(),
  SIGNAL_RETENTION_DAYS: integer(396, 35, 36_500),
  EVENT_RETENTION_DAYS: integer(30, 1, 3_650),
  AUDIT_RETENTION_DAYS: integer(730, 1, 36_500),
  REFUSAL_RETENTION_DAYS: integer(90, 1, 3_650),
  TIME_SCALE: z.coerce.number().min(1).max(100_000).default(1),
});

export type Config = Readonly<{
  [K in keyof z.output<typeof environment> as CamelCase<K & string>]: z.output<typeof environment>[K];
}>;
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

/**
 * Reads the environment once. Throws one StartFault that lists everything that is wrong, one line per fault, by the
 * name of the variable; an empty variable counts as unset.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given, IN_PLAIN_WORDS);
  const issues = parsed.error?.issues ?? [];
  const wrong = [
    ...issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...contradictions(parsed.data ?? readableValues(given)),
  ];
  if (!parsed.success || wrong.length > 0) {
    const lines = wrong.map((line) => `  ${line}`).join('\n');
    throw new StartFault(`These environment variables are missing or wrong (see .env.example):\n${lines}`);
  }
  const entries = Object.entries(parsed.data).map(([name, value]) => [camelCase(name), value]);
  return Object.freeze(Object.fromEntries(entries)) as Config;
}

type Values = z.output<typeof environment>;

/** The values that can be read: they are judged together even where others are wrong. */
function readableValues(given: Record<string, string | undefined>): Partial<Values> {
  const entries = Object.entries(environment.shape).flatMap(([name, type]) => {
    const read = type.safeParse(given[name]);
    return read.success ? [[name, read.data]] : [];
  });
  return Object.fromEntries(entries);
}

function contradictions(values: Partial<Values>): string[] {
  const wrong: string[] = [];
  if (values.OIDC_ISSUER !== undefined && values.OIDC_AUDIENCE === undefined)
    wrong.push('OIDC_AUDIENCE: must name what the access tokens of OIDC_ISSUER are for');
  if (values.OIDC_AUDIENCE !== undefined && values.OIDC_AUDIENCE === values.OIDC_CLIENT_ID)
    wrong.push('OIDC_AUDIENCE: must differ from OIDC_CLIENT_ID, or ID tokens would pass as access tokens');
  const { MCP_AUDIENCE, BASE_URL, PORT = 0 } = values;
  if (values.OIDC_AUDIENCE === mcpAudience({ mcpAudience: MCP_AUDIENCE, baseUrl: BASE_URL, port: PORT }))
    wrong.push(
      'MCP_AUDIENCE: must differ from OIDC_AUDIENCE, or the token of an agent could spend credits (default: BASE_URL/mcp)',
    );
  if (values.STRIPE_SECRET_KEY !== undefined && values.STRIPE_WEBHOOK_SECRET === undefined)
    wrong.push('STRIPE_WEBHOOK_SECRET: must be set too, or what people pay for would never arrive');
  return values.NODE_ENV === 'production' ? [...wrong, ...faultsInProduction(values)] : wrong;
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Where people and devices find this service, without a slash at the end. Never taken from a request. */
export function baseUrl(config: Pick<Config, 'baseUrl' | 'port'>): string {
  return config.baseUrl?.replace(/\/$/, '') ?? `http://127.0.0.1:${config.port}`;
}

/** A URL of the dashboard, of BASE_URL and never of a request's Host. */
export function dashboardUrl(config: Config, path = ''): string {
  return `${baseUrl(config)}/dashboard/${path}`;
}

/** The audience of access tokens for the MCP endpoint, which is also the name of that resource (RFC 8707). */
export function mcpAudience(config: Pick<Config, 'mcpAudience' | 'baseUrl' | 'port'>): string {
  return config.mcpAudience ?? `${baseUrl(config)}/mcp`;
}

/** The names of all variables, for the test that compares `.env.example` with them. */
export const VARIABLE_NAMES = Object.keys(environment.shape);
