import { z } from 'zod';
import { exchange } from '../../../../../shared/platform/outward/exchange.ts';
import { type Api, describeFailure, describeRefusal, requestTo } from '../../api/ask.ts';

/** A preview looks at up to 300,000 calls. */
const LIMITS = { deadlineMs: 60_000, mostBytes: 16_777_216 };

/** Sends one request, and returns its answer. Throws an Error that says in words what the api refused, or that it is away. */
export async function send<Content>(
  api: Api,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body: object | null,
  shape: z.ZodType<Content>,
): Promise<Content> {
  const { url, headers } = requestTo(api, path);
  const sent = body === null ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await exchange(url, sent, LIMITS).catch((error: unknown) => {
    throw new Error(`${url.origin} cannot be reached: ${describeFailure(error)}`);
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(
      `${method} ${url.pathname} ${describeRefusal({ status: response.status, body: text })}${faultsIn(text)}`,
    );
  return shape.parse(JSON.parse(text));
}

const faulty = z.object({
  errors: z.array(z.object({ pointer: z.string().optional(), detail: z.string() })),
});

/** The fields that a problem names, each with what is wrong. */
function faultsIn(text: string): string {
  try {
    const { errors } = faulty.parse(JSON.parse(text));
    return errors.map(({ pointer = '', detail }) => ` ${pointer.slice(1)}: ${detail}.`).join('');
  } catch {
    return '';
  }
}
