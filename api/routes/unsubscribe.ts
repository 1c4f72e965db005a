import { z } from 'zod';
import {
  unsubscribe as end,
  readUnsubscribeToken,
  subscribeAgain,
} from '../../shared/core/events/webhooks/endpoints/unsubscribe.ts';
import { planDisowned } from '../../shared/core/limits/budgets/change/decide-owner.ts';
import { text } from '../../shared/platform/basics/text.ts';
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
  summary: 'Show the unsubscribe page',
  description: 'A page with one button, for people who follow the link in a mail.',
  tag: 'Webhooks',
  auth: { kind: 'none' },
  params,
  success: { status: 200, description: 'The page', contentType: HTML, body: z.string() },
  errors: ['not_found'],
  handle: async ({ params: { token } }, ctx) => {
    readUnsubscribeToken(ctx.config, token);
    return reply(
      page('<form method="post"><button>Unsubscribe from all mails of this organization</button></form>'),
      HEADERS,
    );
  },
});

export const unsubscribe = route({
  method: 'post',
  path: '/v1/unsubscribe/{token}',
  summary: 'End the mails of an organization',
  description:
    'RFC 8058: one click in a mail program ends all mails of the organization to this address. The webhooks that write ' +
    'there are deleted, and their unsent messages are cancelled. The body is not read. Repeating it changes nothing. With ' +
    '`again=true` new webhooks may write there again.',
  tag: 'Webhooks',
  auth: { kind: 'none' },
  params,
  query: z.strictObject({
    again: z
      .literal('true')
      .optional()
      .meta({ description: 'Take mails again', examples: ['true'] }),
  }),
  success: { status: 200, description: 'A page that says so', contentType: HTML, body: z.string() },
  errors: ['not_found'],
  handle: async ({ params: { token }, query: { again } }, ctx) => {
    await (again ? subscribeAgain(ctx, token) : end(ctx, token, planDisowned));
    return reply(page(again ? AGAIN : ENDED), HEADERS);
  },
});

const ENDED =
  '<p>You are unsubscribed: this organization writes no more mails to you.</p>' +
  '<form method="post" action="?again=true"><button>Take mails again</button></form>';
const AGAIN =
  '<p>You take mails of this organization again. An admin can make a webhook that writes to you.</p>';

function page(content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title></head><body><main><h1>Mails of usage-governor</h1>${content}</main></body></html>`;
}
