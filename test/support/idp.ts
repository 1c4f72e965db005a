import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

const AUDIENCE = 'urn:test:api';

/** The issuer's answer for its keys. */
type KeysAnswer = 'keys' | 'html' | 'huge' | 'slow' | 'error' | 'redirect';

export interface TestIssuer {
  issuer: string;
  /** Variables that make an api trust this issuer. */
  env: Record<string, string>;
  /** The JWKS answers so from now on. */
  answer: KeysAnswer;
  /** How often the JWKS was asked for, and anything else than it and discovery. */
  fetches: { keys: number; other: number };
  /** The first key. */
  publicJwk: JWK;
  /** A valid token of `sub` at `nowMs`, but for what is overridden; undefined leaves a claim or header out. */
  mint(sub: string, options?: MintOptions): Promise<string>;
  /** Another key of the JWKS. */
  addKey(jwk: JWK): void;
  /** Signs with a new key from now on. */
  rotate(): Promise<void>;
  /** Stops listening; `start` comes back on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface MintOptions {
  nowMs?: number;
  claims?: Record<string, unknown>;
  header?: { crit?: string[]; [name: string]: unknown };
  key?: CryptoKey | Uint8Array;
}

/** Made for the tests; a process trusts it by NODE_EXTRA_CA_CERTS. Good for 127.0.0.1 until 2126. */
export const ISSUER_CERTIFICATE = join(import.meta.dirname, 'tls/certificate.pem');

/** A small real issuer: discovery and JWKS over HTTP, or HTTPS, and tokens right and wrong in every way. */
export async function startIssuer({ tls = false } = {}): Promise<TestIssuer> {
  let keys = await newKeys('key-1');
  const moreKeys: JWK[] = [];
  const hung = new Set<ServerResponse>();
  const state: Pick<TestIssuer, 'answer' | 'fetches'> = { answer: 'keys', fetches: { keys: 0, other: 0 } };
  const listen = async (port: number): Promise<Server> => {
    const server = createAnyServer(tls, (req, res) => {
      const { issuer } = described;
      if (req.url === '/.well-known/openid-configuration') {
        res.setHeader('Content-Type', 'application/json');
        res.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` }));
      } else if (req.url === '/jwks') {
        state.fetches.keys += 1;
        answerKeys(res, state.answer, [keys.publicJwk, ...moreKeys], hung);
      } else {
        state.fetches.other += 1;
        res.writeHead(404).end();
      }
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const described = { issuer: '' };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  described.issuer = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return Object.assign(state, {
    issuer: described.issuer,
    env: { OIDC_ISSUER: described.issuer, OIDC_AUDIENCE: AUDIENCE, OIDC_CLIENT_ID: 'test-client' },
    publicJwk: keys.publicJwk,
    mint: (sub: string, options: MintOptions = {}) =>
      mint(described.issuer, keys.privateKey, keys.kid, sub, options),
    addKey: (jwk: JWK) => {
      moreKeys.push(jwk);
    },
    rotate: async () => {
      keys = await newKeys(`key-${Date.now()}`);
    },
    stop: async () => {
      for (const res of hung) res.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    start: async () => {
      server = await listen(port);
    },
  });
}

function createAnyServer(tls: boolean, listener: RequestListener): Server {
  if (!tls) return createServer(listener);
  const key = readFileSync(join(import.meta.dirname, 'tls/key.pem'));
  return createTlsServer({ key, cert: readFileSync(ISSUER_CERTIFICATE) }, listener);
}

async function newKeys(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

function answerKeys(res: ServerResponse, answer: KeysAnswer, keys: JWK[], hung: Set<ServerResponse>): void {
  res.setHeader('Content-Type', 'application/json');
  switch (answer) {
    case 'keys':
      res.end(JSON.stringify({ keys }));
      break;
    case 'html':
      res.setHeader('Content-Type', 'text/html');
      res.end('<html>Down for maintenance</html>');
      break;
    case 'huge':
      res.end(JSON.stringify({ keys, padding: 'x'.repeat(10_000_000) }));
      break;
    case 'slow':
      hung.add(res);
      break;
    case 'error':
      res.writeHead(500).end();
      break;
    case 'redirect':
      res.writeHead(302, { Location: '/elsewhere' }).end();
      break;
  }
}

async function mint(
  issuer: string,
  privateKey: CryptoKey,
  kid: string,
  sub: string,
  options: MintOptions,
): Promise<string> {
  const { nowMs = Date.now(), claims = {}, header = {}, key = privateKey } = options;
  const iat = Math.floor(nowMs / 1_000);
  const payload = withoutUndefined({ iss: issuer, aud: AUDIENCE, sub, iat, exp: iat + 600, ...claims });
  const protectedHeader = withoutUndefined({ alg: 'ES256', typ: 'at+jwt', kid, ...header });
  const crit = Object.fromEntries((header.crit ?? []).map((name) => [name, true]));
  return new SignJWT(payload).setProtectedHeader(protectedHeader as { alg: string }).sign(key, { crit });
}

function withoutUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
