import { wholeOrganization } from '../../../shared/core/accounts/organizations/reader.ts';
import { quotePrice as quote, quoteInput, quoteView } from '../../../shared/wings/prices/quote.ts';
import { route } from '../../basics/route.ts';

export const quotePrice = route({
  method: 'post',
  path: '/api/v1/prices/quote',
  summary: 'Ask what a call costs',
  description:
    'Takes the fields of a signal that decide its price, and answers as if it were recorded now. It writes nothing.',
  tag: 'Prices',
  auth: { kind: 'api-key', scope: 'prices:read' },
  priority: 'read',
  body: quoteInput,
  success: { status: 200, description: 'The price, and where it comes from', body: quoteView },
  handle: async ({ principal, body }, ctx) => quote(ctx, wholeOrganization(principal), body),
});
