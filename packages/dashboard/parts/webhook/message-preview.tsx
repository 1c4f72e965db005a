import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type PreviewAsked, previewQuery } from '../../data/queries.ts';
import { CodeBox } from '../form/copyable.tsx';
import { Choice } from '../form/fields.tsx';
import { Load } from '../page/load.tsx';
import { SENT } from './events.tsx';

const COLORS = { low: 'inherit', medium: 'var(--caution)', high: 'var(--bad)' } as const;

/** About a dozen lines; the rest scrolls. */
const HEIGHT = 240;

/** An example message of a format, with the bytes that are sent. */
export function MessagePreview({ format }: { format: PreviewAsked['format'] }) {
  const [type, setType] = useState<PreviewAsked['type']>('budget.exceeded');
  const preview = useQuery(previewQuery({ format, type }));
  return (
    <Stack gap="sm">
      <Choice label="Preview" of={SENT} value={type} onChange={setType} />
      <Load query={preview} height={200}>
        {({ message, body }) => (
          <Stack gap="sm">
            {format !== 'json' && (
              <Paper withBorder p="sm" aria-label="Message" role="figure">
                <Text fw={700} c={COLORS[message.urgency]} className="wrap">
                  {message.title}
                </Text>
                {message.facts.map(({ label, value }) => (
                  <Text key={`${label} ${value}`} size="sm" className="wrap">
                    <b>{label}</b> {value}
                  </Text>
                ))}
                {message.link && (
                  <Text size="sm" td="underline" title={message.link.url}>
                    {message.link.label}
                  </Text>
                )}
              </Paper>
            )}
            <Bytes of={body} isClosed={format !== 'json'} />
          </Stack>
        )}
      </Load>
    </Stack>
  );
}

/** The bytes that are sent, closed below a message that people read. */
function Bytes({ of, isClosed }: { of: string; isClosed: boolean }) {
  const code = (
    <CodeBox label="Message" style={{ maxHeight: HEIGHT, overflow: 'auto' }}>
      {readable(of)}
    </CodeBox>
  );
  if (!isClosed) return code;
  return (
    <details>
      <summary>As it is sent</summary>
      {code}
    </details>
  );
}

/** JSON over several lines; any other text as it is. */
function readable(body: string): string {
  return body.startsWith('{') ? JSON.stringify(JSON.parse(body), null, 2) : body;
}
