import type { Envelope, LinkedMessage, Rendered } from './message.ts';
import { firstBytes, unlinked } from './text.ts';

/** A longer one becomes an attachment (https://docs.ntfy.sh/publish/#limitations). */
const BYTES = 4_096;

/** https://docs.ntfy.sh/publish/#message-priority */
const PRIORITIES = { low: '2', medium: '3', high: '5' } as const;

/**
 * A message of ntfy (https://docs.ntfy.sh/publish/): plain text, posted to the URL of the topic. Its headers hold nothing
 * that comes from outside, without `Markdown` the text is shown as it is, and nothing in it becomes a link but our own. A tap on it
 * opens the page (https://docs.ntfy.sh/publish/#click-action), as does its button.
 */
export function ntfyMessage({ title, urgency, facts, link }: LinkedMessage, { type }: Envelope): Rendered {
  const text = [title, ...facts.map(([label, value]) => `${label}: ${value}`)].join('\n');
  const last = link ? `\n${link.join(': ')}` : '';
  return {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      title: type,
      priority: PRIORITIES[urgency],
      ...(link ? { click: link[1], actions: `view, ${link[0]}, "${link[1].replaceAll('"', '%22')}"` } : {}),
    },
    body: `${firstBytes(unlinked(text), BYTES - Buffer.byteLength(last))}${last}`,
  };
}
