import type { IncomingMessage } from 'node:http';
import { isOperatorToken } from '../../shared/core/accounts/keys/credential.ts';
import { bearerToken } from './bearer.ts';

/** The operator token, as Bearer or as the password of Basic (any user name: browsers ask for one). */
export function isOperator(req: IncomingMessage, operatorToken: string): boolean {
  const given = bearerToken(req) ?? basicPassword(req.headers.authorization ?? '');
  return given !== null && isOperatorToken(given, operatorToken);
}

function basicPassword(header: string): string | null {
  const [scheme, value] = header.split(' ');
  if (scheme?.toLowerCase() !== 'basic' || !value) return null;
  const [, ...password] = Buffer.from(value, 'base64').toString().split(':');
  return password.join(':');
}
