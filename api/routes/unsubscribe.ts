import { z } from 'zod';
import { text } from '../../shared/platform/basics/text.ts';
import { unsubscribe as end, readUnsubscribeToken } from '../../shared/webhooks/endpoints/unsubscribe.ts';
import { reply, route } from '../basics/route.ts';

const params = z.strictObject({
  token: text(256).describe('As the mail has it'),
});
const HTML = 'text/html; charset=utf-8';
const HEADERS = {
  'content-type': HTML,
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** A mail scanner follows every link, so opening one changes nothing: the button does. */
export const askToUnsubscribe = route({
  method: 'get',
  path: '/v1/unsubscribe/{token}',
  summary: 'Ask whether mails shall end',
  description: 'A page with one button, for people who follow the link in a mail.',
  tag: 'Webhooks',
  auth: { kind: 'none' },
  priority: 'read',
  params,
  success: { status: 200, description: 'The page', contentType: HTML, body: z.string() },
  errors: ['not_found'],
  handle: async ({ params: { token } }, ctx) => {
    readUnsubscribeToken(ctx.config, token);
    return reply(page('<form method="post"><button>Unsubscribe from these mails</button></form>'), HEADERS);
  },
});

export const unsubscribe = route({
  method: 'post',
  path: '/v1/unsubscribe/{token}',
  summary: 'End the mails of a webhook',
  description:
    'RFC 8058: one click in a mail program ends them. The webhook is deleted, what it had not sent is cancelled. The body ' +
    'is not read. Repeating it changes nothing.',
  tag: 'Webhooks',
  auth: { kind: 'none' },
  priority: 'read',
  params,
  success: { status: 200, description: 'A page that says so', contentType: HTML, body: z.string() },
  errors: ['not_found'],
  handle: async ({ params: { token } }, ctx) => {
    await end(ctx, token);
    return reply(page('<p>You are unsubscribed: these mails have ended.</p>'), HEADERS);
  },
});

function page(content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title></head><body><main><h1>Mails of usage-governor</h1>${content}</main></body></html>`;
}
