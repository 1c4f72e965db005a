import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a token is the operator's, in a time that says nothing about either. */
export function isOperatorToken(given: string, operatorToken: string): boolean {
  return timingSafeEqual(digest(given), digest(operatorToken));
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}
