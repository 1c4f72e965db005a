import type { Request, Response } from 'express';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { dateAt } from '../../shared/platform/basics/clock.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { cookieSettings, secretFor } from './settings.ts';

const LIFETIME_S = 600;
/** Keys in Redis of sign-ins that were answered, for as long as their cookie would be good. */
const USED = 'dashboard:sign-in:';

const content = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
});

/** State of a sign-in under way. It lies encrypted in the browser: beginning one writes nothing to a store. */
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
 * cookie back, and takes no second answer for it. An answer to an earlier one, which another tab began, leaves it there.
 */
export async function takeSignIn(ctx: Context, req: Request, res: Response): Promise<SignInUnderWay | null> {
  const { name, options } = cookieSettings(ctx.config, '-login');
  const token = parseCookie(req, name);
  if (token === null) return null;
  const underWay = await decrypt(ctx, token);
  if (underWay === null || underWay.state !== req.query.state) return null;
  res.clearCookie(name, options);
  const isFirst = await ctx.redis.producer.set(USED + underWay.state, '', 'EX', LIFETIME_S, 'NX');
  return isFirst === null ? null : underWay;
}

async function decrypt(ctx: Context, token: string): Promise<SignInUnderWay | null> {
  try {
    const { payload } = await jwtDecrypt(token, secretFor(ctx.config, 'sign-in'), {
      currentDate: dateAt(ctx.clock.now()),
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return content.parse(payload);
  } catch {
    return null;
  }
}

/** The value of a cookie that this service set, or null. The first of two with one name counts, as RFC 6265 orders them. */
function parseCookie(req: Request, name: string): string | null {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
