import type { Fields } from './field.ts';

/** Fields of the Model Context Protocol and of its metadata. */
export const mcp: Fields = {
  resource: ['The endpoint, as tokens name it in `aud`', 'https://governor.example.com/mcp'],
  authorization_servers: ['Who gives tokens for it', ['https://login.example.com']],
  scopes_supported: ['Scopes that a token may hold', ['usage:read', 'budgets:check']],
  bearer_methods_supported: ['How the token is sent', ['header']],
};
