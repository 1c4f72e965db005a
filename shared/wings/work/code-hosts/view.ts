import { z } from 'zod';
import { makerView } from '../../../core/accounts/keys/view.ts';
import { unixSeconds } from '../../../platform/basics/clock.ts';
import { baseUrl, type Config } from '../../../platform/basics/config.ts';
import { text } from '../../../platform/basics/text.ts';
import { CODE_HOST_PROVIDERS, type CodeHost } from './model.ts';

/** The body that adds a code host. */
export const codeHostInput = z.strictObject({
  provider: z.enum(CODE_HOST_PROVIDERS).describe('The sort of code host'),
  name: text(80).optional().describe('Shown to people beside the provider'),
});
export type CodeHostInput = z.output<typeof codeHostInput>;

export const codeHostView = z.strictObject({
  id: z
    .string()
    .meta({ examples: ['src_3Kf9XqLm2TzVb7Rw8YcN1p'] })
    .describe('The code host'),
  provider: z.enum(CODE_HOST_PROVIDERS).describe('The sort of code host'),
  name: z.string().nullable().describe('Its name for people, or null'),
  url: z.string().describe('The address that the code host sends its events to'),
  made_by: makerView
    .optional()
    .describe('The person or key that saw its secret; absent where none was noted'),
  created_at: z.int().describe('Unix seconds'),
  last_event_at: z
    .int()
    .nullable()
    .describe('Unix seconds: when it last sent an event with the right signature; null: none yet'),
});

export const addedCodeHostView = codeHostView.extend({
  secret: z.string().describe('Signs its events; never shown again'),
});

/** Shows a code host; its secret never. */
export function viewCodeHost(config: Config, host: CodeHost): z.output<typeof codeHostView> {
  const { _id, provider, name, made_by, created_at, last_event_at } = host;
  return {
    id: _id,
    provider,
    name,
    url: `${baseUrl(config)}/integrations/code-hosts/${_id}`,
    ...(made_by ? { made_by } : {}),
    created_at: unixSeconds(created_at),
    last_event_at: last_event_at && unixSeconds(last_event_at),
  };
}
