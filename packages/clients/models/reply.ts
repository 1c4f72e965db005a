export type Json = Readonly<Record<string, unknown>>;

/** The server's answer: one document, or a stream as text. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  json?: Json;
  stream?: string;
}

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The names of the tools that a request offers. */
export function namesOf(tools: unknown): string[] {
  return listOf(tools).map((tool) => textOf(tool.name) || textOf(objectOf(tool.function).name));
}

/** Server-sent events; one with a `type` is named after it. */
export function streamOf(events: readonly Json[], end = ''): string {
  const written = events.map((event) => {
    const name = textOf(event.type);
    return `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
  });
  return written.join('') + end;
}
