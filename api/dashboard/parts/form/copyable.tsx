import { Button, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** Text to copy, such as a command or something that is shown once. */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <Group align="flex-start" gap="sm">
      <section
        className="code"
        style={{ flex: '1 1 300px', minWidth: 0, maxWidth: '100%' }}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard.
        tabIndex={0}
      >
        {value}
      </section>
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
