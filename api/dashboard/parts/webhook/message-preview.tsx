import { NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type PreviewAsked, previewQuery } from '../../data/queries.ts';
import { Load } from '../page/load.tsx';
import { SENT } from './events.tsx';

const COLORS = { low: 'inherit', medium: 'var(--caution)', high: 'var(--bad)' } as const;

/** About a dozen lines of what is sent; the rest scrolls. */
const HEIGHT = 240;

/** What a format's messages look like, with the bytes that are sent. */
export function MessagePreview({ format }: { format: PreviewAsked['format'] }) {
  const [type, setType] = useState<PreviewAsked['type']>('budget.exceeded');
  const preview = useQuery(previewQuery({ format, type }));
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Preview"
        data={Object.entries(SENT).map(([value, label]) => ({ value, label }))}
        value={type}
        onChange={(event) => setType(event.currentTarget.value as PreviewAsked['type'])}
      />
      <Load query={preview} height={200}>
        {({ message, body }) => (
          <Stack gap="sm">
            {format !== 'json' && (
              <Paper withBorder p="sm" aria-label="Message" role="figure">
                <Text fw={700} c={COLORS[message.urgency]} className="wrap">
                  {message.title}
                </Text>
                {message.facts.map(({ label, value }) => (
                  <Text key={label} size="sm" className="wrap">
                    <b>{label}</b> {value}
                  </Text>
                ))}
              </Paper>
            )}
            <section
              className="code"
              style={{ maxHeight: HEIGHT, overflow: 'auto' }}
              aria-label="What is sent"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard.
              tabIndex={0}
            >
              {readable(body)}
            </section>
          </Stack>
        )}
      </Load>
    </Stack>
  );
}

/** JSON over several lines; what is no JSON as it is. */
function readable(body: string): string {
  return body.startsWith('{') ? JSON.stringify(JSON.parse(body), null, 2) : body;
}
