import { z } from 'zod';
import { mcpAudience } from '../../shared/platform/basics/config.ts';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import { AGENT_SCOPES } from '../auth/agent.ts';
import { type AnyRoute, route } from '../basics/route.ts';

const metadata = z.strictObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  bearer_methods_supported: z.array(z.string()),
});

/** RFC 9728: where a client gets tokens for the MCP endpoint. Served at the root and at the endpoint's own path. */
function metadataRoute(path: string): AnyRoute {
  return route({
    method: 'get',
    path,
    summary: 'Read where tokens for the MCP endpoint come from',
    description: 'Protected resource metadata (RFC 9728) of `/mcp`. 404 without an identity provider.',
    tag: 'MCP',
    auth: { kind: 'none' },
    priority: 'read',
    success: { status: 200, description: 'The metadata', body: metadata },
    errors: ['not_found'],
    handle: async (_input, { config }) => {
      if (config.oidcIssuer === undefined)
        throw new DomainError('not_found', 'This service has no identity provider: use an API key.');
      return {
        resource: mcpAudience(config),
        authorization_servers: [config.oidcIssuer],
        scopes_supported: [...AGENT_SCOPES],
        bearer_methods_supported: ['header'],
      };
    },
  });
}

export const getProtectedResource = metadataRoute('/.well-known/oauth-protected-resource');
export const getMcpProtectedResource = metadataRoute('/.well-known/oauth-protected-resource/mcp');
