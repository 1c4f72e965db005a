import type { Request, Response } from 'express';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { dateAt } from '../../shared/platform/basics/clock.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { cookieSettings, secretFor } from './settings.ts';

const LIFETIME_S = 600;

const content = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
});

/** What a sign-in under way has to remember. It lies encrypted in the browser, so a stranger writes nothing to a store. */
export type SignInUnderWay = z.infer<typeof content>;

/** Gives the browser the cookie of a sign-in that begins, good for ten minutes. */
export async function keepSignIn(ctx: Context, res: Response, signIn: SignInUnderWay): Promise<void> {
  const nowS = Math.floor(ctx.clock.now() / 1_000);
  const token = await new EncryptJWT(signIn)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + LIFETIME_S)
    .encrypt(secretFor(ctx.config, 'sign-in'));
  const { name, options } = cookieSettings(ctx.config, '-login');
  res.cookie(name, token, { ...options, maxAge: LIFETIME_S * 1_000 });
}

/**
 * The sign-in that this browser began and that this answer is for, or null: none, too long ago, or not ours. Takes the
 * cookie back. An answer to an earlier one, which another tab began, leaves it there.
 */
export async function takeSignIn(ctx: Context, req: Request, res: Response): Promise<SignInUnderWay | null> {
  const { name, options } = cookieSettings(ctx.config, '-login');
  const token = parseCookie(req, name);
  if (token === null) return null;
  try {
    const { payload } = await jwtDecrypt(token, secretFor(ctx.config, 'sign-in'), {
      currentDate: dateAt(ctx.clock.now()),
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    const underWay = content.parse(payload);
    if (underWay.state !== req.query.state) return null;
    res.clearCookie(name, options);
    return underWay;
  } catch {
    return null;
  }
}

/** The value of a cookie that this service set, or null. Of two of one name the first counts, as RFC 6265 orders them. */
function parseCookie(req: Request, name: string): string | null {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
