import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type IdpPerson, loginPage, logoutPage } from './login-page.ts';
import { IDP_AUDIENCE, IDP_CLIENT_ID, type IdpState, issuerOf, MCP_TOKEN_SCOPE } from './state.ts';

const TOKEN_LIFETIME_S = 3_600;

/** Serves a real OpenID provider (authorization code with PKCE) for people without passwords. Development only. */
export async function startIdp(state: IdpState, people: () => readonly IdpPerson[]): Promise<Server> {
  const provider = new Provider(issuerOf(state), configuration(state, people));
  // The api's port may change from start to start. The provider listens on loopback only, and so do its clients.
  provider.Client.prototype.redirectUriAllowed = isLoopback;
  provider.Client.prototype.postLogoutRedirectUriAllowed = isLoopback;
  const handle = provider.callback();
  const server = createServer((req, res) => {
    const uid = /^\/login\/([\w-]+)$/.exec(req.url ?? '')?.[1];
    if (uid === undefined) void handle(req, res);
    else logIn(provider, people, uid, req, res).catch((error: unknown) => refuse(res, error));
  });
  server.listen(state.port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function configuration(state: IdpState, people: () => readonly IdpPerson[]): Configuration {
  return {
    jwks: { keys: [state.key] },
    cookies: { keys: [state.cookieKey] },
    clients: [
      {
        client_id: IDP_CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/callback'],
        post_logout_redirect_uris: ['http://127.0.0.1/'],
      },
    ],
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: async (_ctx, sub) => {
      const person = findPerson(people(), sub);
      if (!person) return undefined;
      const { name, email } = person;
      return { accountId: sub, claims: async () => ({ sub, name, email, email_verified: true }) };
    },
    interactions: { url: (_ctx, interaction) => `/login/${interaction.uid}` },
    loadExistingGrant: grantEverything,
    ttl: {
      AccessToken: TOKEN_LIFETIME_S,
      IdToken: TOKEN_LIFETIME_S,
      Interaction: 3_600,
      Grant: 1_209_600,
      Session: 1_209_600,
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: async (ctx, form) => confirmLogout(ctx, form) },
      // With a resource, oidc-provider gives access tokens as JWT (RFC 9068).
      resourceIndicators: {
        enabled: true,
        defaultResource: () => IDP_AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => ({
          audience: isMcpEndpoint(resource) ? resource : IDP_AUDIENCE,
          scope: isMcpEndpoint(resource) ? MCP_TOKEN_SCOPE : 'api',
          accessTokenFormat: 'jwt',
          accessTokenTTL: TOKEN_LIFETIME_S,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  };
}

/** The only client is our own, so nobody is asked for consent. */
async function grantEverything(ctx: KoaContextWithOIDC) {
  const { client, session, provider } = ctx.oidc;
  if (!client || !session?.accountId) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid offline_access profile email');
  grant.addResourceScope(IDP_AUDIENCE, 'api');
  const asked = [ctx.oidc.params?.resource].flat();
  for (const resource of asked)
    if (typeof resource === 'string' && isMcpEndpoint(resource))
      grant.addResourceScope(resource, MCP_TOKEN_SCOPE);
  await grant.save();
  return grant;
}

async function logIn(
  provider: Provider,
  people: () => readonly IdpPerson[],
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  // Throws unless this browser has begun this interaction.
  await provider.interactionDetails(req, res);
  if (req.method === 'POST') {
    const sub = new URLSearchParams(await text(req)).get('sub') ?? '';
    if (!findPerson(people(), sub)) throw new Error('There is no such person.');
    await provider.interactionFinished(req, res, { login: { accountId: sub } });
    return;
  }
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  res.end(loginPage(uid, people()));
}

/** One of the people, or anybody else by an e-mail: whoever was invited can be tried out. */
function findPerson(
  people: readonly IdpPerson[],
  sub: string,
): Pick<IdpPerson, 'name' | 'email'> | undefined {
  const known = people.find((candidate) => candidate.sub === sub);
  if (known) return known;
  return /^[^\s@]+@[^\s@]+$/.test(sub) ? { name: sub.split('@')[0] ?? sub, email: sub } : undefined;
}

/** The page between the dashboard's sign-out and the way back: `form` is the provider's own, without its buttons. */
function confirmLogout(ctx: KoaContextWithOIDC, form: string): void {
  ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  ctx.body = logoutPage(form);
}

function refuse(res: ServerResponse, error: unknown): void {
  res.writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8' });
  res.end(`Sign in again from where you came. (${error instanceof Error ? error.message : 'unknown'})\n`);
}

/** The MCP endpoint of an api on this machine, whatever its port. */
function isMcpEndpoint(resource: string): boolean {
  return isLoopback(resource) && new URL(resource).pathname === '/mcp';
}

function isLoopback(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(uri).hostname);
}
