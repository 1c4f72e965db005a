import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const AUDIENCE = 'urn:bench:api';

export interface Issuer {
  url: string;
  server: Server;
  mint: (sub: string) => Promise<string>;
}

/** An identity provider: discovery, one key, and sessions of whom the bench likes. */
export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' }];
  const server = createServer((req, res) => {
    const isDiscovery = req.url?.includes('openid-configuration');
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify(isDiscovery ? { issuer: url, jwks_uri: `${url}/jwks` } : { keys }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mint = (sub: string) =>
    new SignJWT({ sub })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
      .setIssuer(url)
      .setAudience(AUDIENCE)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  return { url, server, mint };
}
