import { Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** Text as code, in a box that scrolls. */
export function CodeBox({ label, style, children }: { label: string; style?: object; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section className="code" style={style} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Text to copy, such as a command or something that is shown once. */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <Group align="flex-start" gap="sm">
      <CodeBox label={label} style={{ flex: '1 1 300px', minWidth: 0, maxWidth: '100%' }}>
        {value}
      </CodeBox>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            onClick={copy}
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

/** A secret that is shown this once; `words` say so. */
export function ShownOnce({
  words,
  onDone,
  children,
  ...secret
}: {
  words: React.ReactNode;
  value: string;
  label: string;
  onDone: () => void;
  children?: React.ReactNode;
}) {
  return (
    <Stack>
      <Text>{words}</Text>
      <Copyable {...secret} />
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have kept it</Button>
      </Group>
    </Stack>
  );
}
