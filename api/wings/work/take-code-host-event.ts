import { z } from 'zod';
import { DomainError } from '../../../shared/platform/basics/errors.ts';
import { hasProof } from '../../../shared/wings/work/code-hosts/events/prove.ts';
import { EVENT_OUTCOMES, takeEvent } from '../../../shared/wings/work/code-hosts/take-event.ts';
import { route } from '../../basics/route.ts';
import { codeHostParams } from '../../schemas/params.ts';

const signature = `sha256=${'5f'.repeat(32)}`;

export const takeCodeHostEvent = route({
  method: 'post',
  path: '/integrations/code-hosts/{id}',
  summary: 'Receive events of a code host',
  description:
    'For GitHub, GitLab and Bitbucket, which sign each event with the secret of the code host. GitHub: `pull_request`; ' +
    'GitLab: merge request events; Bitbucket: `pullrequest:created`, `updated`, `fulfilled` and `rejected`. Others are ' +
    'ignored. Each event carries the whole state, so their order does not matter.',
  tag: 'Operations',
  auth: { kind: 'none' },
  priority: 'ingest',
  takesBytes: 'json',
  params: codeHostParams,
  requestHeaders: {
    'X-Hub-Signature-256': {
      description: 'Of GitHub: the HMAC-SHA256 of the body, with the secret',
      example: signature,
    },
    'X-GitHub-Event': { description: 'Of GitHub: the event', example: 'pull_request' },
    'webhook-signature': {
      description:
        'Of GitLab with a signing token, beside `webhook-id` and `webhook-timestamp`: as Standard Webhooks',
      example: `v1,${Buffer.alloc(32, 0x5f).toString('base64')}`,
    },
    'X-Gitlab-Token': {
      description: 'Of GitLab without a signing token: the secret',
      example: `whsec_${Buffer.alloc(32, 0x5f).toString('base64')}`,
    },
    'X-Hub-Signature': {
      description: 'Of Bitbucket: the HMAC-SHA256 of the body, with the secret',
      example: signature,
    },
    'X-Event-Key': { description: 'Of Bitbucket: the event', example: 'pullrequest:created' },
  },
  success: {
    status: 200,
    description: 'Outcome of the event',
    body: z.strictObject({
      outcome: z
        .enum(EVENT_OUTCOMES)
        .meta({ examples: ['applied'] })
        .describe('`stale`: a newer one was known. `ignored`: it reports no pull request'),
    }),
  },
  refuseByHeaders: (header) => {
    if (!hasProof(header)) throw new DomainError('invalid_signature', 'The event is not signed.');
  },
  errors: ['invalid_signature', 'not_found', 'malformed_json'],
  handle: async ({ params, request }, ctx) => {
    if (request.bytes === null) throw new Error('A route that takes bytes was served without them');
    const header = (name: string) => request.header(name);
    return { outcome: await takeEvent(ctx, params.id, { header, body: request.bytes.body }) };
  },
});
