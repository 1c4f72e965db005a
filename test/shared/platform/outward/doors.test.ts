import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OUTWARD, OUTWARD_MAIL } from '../../../support/outward.ts';

/** The door through which requests go by `fetch`. */
const DOOR = 'shared/platform/outward/exchange.ts';

/** The files that may reach the network by themselves, and what they do there. Their requests have rows in OUTWARD. */
const ON_THE_NETWORK: Readonly<Record<string, string>> = {
  [DOOR]: 'sends what other files ask for',
  'api/mcp/answer.ts': 'asks a handler of this process, whose method is called fetch',
  'api/people/issuer.ts': 'gives the library of OpenID Connect the door',
  'api/people/sign-in.ts': 'goes by the configuration of issuer.ts',
  'api/people/sign-out.ts': 'makes an address, and sends nothing',
  'api/serve/address.ts': 'recognizes an address',
  'api/serve/server.ts': 'serves',
  'scripts/idp/provider.ts': 'serves, in development',
  'packages/stack/ports.ts': 'looks whether a port of this machine is free',
  'shared/wings/push/destinations/stores/s3-request.ts': 'sends files to buckets',
  'shared/platform/basics/trust-authorities.ts': 'trusts certificates, and sends nothing',
  'shared/platform/mail/send-mail.ts': 'sends mails',
  'shared/core/events/webhooks/endpoints/url-guard.ts': 'looks up names, and connects, for deliveries',
  'shared/core/events/webhooks/sending/endpoint.ts': 'keeps the connections of deliveries',
  'workers/main.ts': 'serves its probe',
};

/** The files that speak to the two stores. Their waits are in docs/stores.md. */
const AT_THE_STORES = [
  'packages/stack/store-answers.ts',
  'scripts/governor/mongo-checks.ts',
  'scripts/governor/probes.ts',
  'shared/platform/mongo/connect.ts',
  'shared/platform/mongo/pick-fields.ts',
  'shared/platform/mongo/transaction.ts',
  'shared/platform/mongo/writes.ts',
  'shared/platform/queues/queues.ts',
  'shared/platform/redis/connect.ts',
  'workers/worker.ts',
];

/** Dependencies that open no connection. */
const QUIET = (
  '@bufbuild/protobuf @bull-board/api @bull-board/express @modelcontextprotocol/server @pydantic/genai-prices aws4fetch ' +
  'commander express express-session hyparquet-writer ipaddr.js lru-cache node pino piscina prom-client rate-limiter-flexible ' +
  'string-width swagger-ui-dist zod'
).split(' ');
const STORES = ['bullmq', 'ioredis', 'mongodb', 'mongoose'];
/** Fetches only where it is asked for remote keys, which `REACHES` looks for. */
const KEYS = ['jose'];
const NETWORK = ['nodemailer', 'openid-client', 'undici'];
const MODULES = 'http|https|http2|net|tls|dgram|dns|dns/promises|inspector';

const REACHES = new RegExp(
  [
    String.raw`(?<![.\w])fetch\b(?=\s*[(,;)}\]])`,
    String.raw`\.fetch\(`,
    String.raw`\b(?:WebSocket|EventSource|XMLHttpRequest|sendBeacon|createRemoteJWKSet|AwsClient)\b`,
    String.raw`(?:from|import|import\(|require\()\s*'(?:node:)?(?:${MODULES})'`,
    String.raw`(?:from|import|import\(|require\()\s*'(?:${NETWORK.join('|')})(?:/[^']*)?'`,
  ].join('|'),
);
const REACHES_STORES = new RegExp(
  String.raw`(?:from|import|import\()\s*'(?:${STORES.join('|')})(?:/[^']*)?'`,
);

/** The product's sources, without what runs in a browser or stands in for a store in tests. */
const SOURCES = globSync(
  ['api', 'workers', 'shared', 'scripts', 'packages/governor', 'packages/stack'].map(
    (root) => `${root}/**/*.{ts,js,mjs}`,
  ),
  {
    exclude: (path) => /node_modules|^api\/dashboard|^scripts\/mongod-face|\/dist/.test(String(path)),
  },
).toSorted();

/** The code of a file: no comments, no imports of types alone. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/\/\*.*?\*\/|^\s*\/\/[^\n]*$/gms, '')
    .replaceAll(/^import type [^;]*;$/gm, '')
    .replaceAll(/^import \{(?: type \w+(?: as \w+)?,?)+ \} from [^;]*;$/gm, '');
}

const CODE = SOURCES.map((file) => ({ file, code: codeOf(file) }));

test('no file reaches the network but those that are listed', () => {
  expect(CODE.length).toBeGreaterThan(700);
  const reaching = CODE.filter(({ code }) => REACHES.test(code)).map(({ file }) => file);
  expect(reaching).toEqual(Object.keys(ON_THE_NETWORK).toSorted());
});

test('no file opens a connection to a store but those that are listed', () => {
  const reaching = CODE.filter(({ code }) => REACHES_STORES.test(code)).map(({ file }) => file);
  expect(reaching).toEqual(AT_THE_STORES);
});

test('each file that sends by the door has a row with its deadline and its limit', () => {
  const senders = CODE.filter(({ file, code }) => file !== DOOR && code.includes('/outward/exchange.ts'));
  const rows = [...Object.values(OUTWARD), ...Object.values(OUTWARD_MAIL)];
  const others = [
    'shared/wings/push/destinations/stores/s3-request.ts',
    'shared/platform/mail/send-mail.ts',
    'shared/core/events/webhooks/sending/post.ts',
  ];
  expect([...new Set(rows.map(({ file }) => file))].toSorted()).toEqual(
    [...senders.map(({ file }) => file), ...others].toSorted(),
  );
});

test('each dependency is known to open connections or not to', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const known = [...QUIET, ...STORES, ...KEYS, ...NETWORK];
  expect(Object.keys(dependencies).filter((name) => !known.includes(name))).toEqual([]);
});

test('the hook of LiteLLM awaits no answer but by the function that has the deadline and the limit', () => {
  const hook = readFileSync('packages/litellm-governor/usage_governor_litellm.py', 'utf8');
  expect(
    hook.match(/await (?!post\()[\w.]*\.(?:get|post|put|patch|delete|request|send|stream)\(/g),
  ).toBeNull();
  expect(hook.match(/await post\(/g)).toHaveLength(2);
  expect(hook.match(/asyncio\.wait_for\(|MOST_ANSWER_BYTES:/g)).toHaveLength(2);
});
