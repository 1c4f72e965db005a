import type { Request, Response } from 'express';
import * as oidc from 'openid-client';
import { dashboardUrl } from '../../shared/platform/basics/config.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { endSession } from './browser-session.ts';
import { issuerOf } from './issuer.ts';
import { cookieSettings } from './settings.ts';

/** `POST /dashboard/logout`: ends the session here and answers where to end it at the identity provider too. */
export async function signOut(ctx: Context, req: Request, res: Response): Promise<void> {
  const { idToken } = req.session;
  await endSession(req);
  const { name, options } = cookieSettings(ctx.config);
  res.clearCookie(name, options);
  res.setHeader('Cache-Control', 'no-store');
  res.json({ location: await endSessionUrl(ctx, idToken) });
}

/** An issuer without such an endpoint, or one that does not answer, keeps its own session: ours is over all the same. */
async function endSessionUrl(ctx: Context, idToken: string | undefined): Promise<string> {
  const home = dashboardUrl(ctx.config, 'signed-out');
  try {
    const issuer = await issuerOf(ctx);
    if (!issuer.serverMetadata().end_session_endpoint) return home;
    const hint = idToken === undefined ? {} : { id_token_hint: idToken };
    return oidc.buildEndSessionUrl(issuer, { post_logout_redirect_uri: home, ...hint }).href;
  } catch {
    return home;
  }
}
