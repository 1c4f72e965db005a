import { Anchor, Button, CloseButton, Group, Stack, Text } from '@mantine/core';
import { IconAlertOctagon, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Concern, Severity } from '../hooks/concern.ts';
import { Name } from '../parts/text/name.tsx';
import { noticeOf } from './concerns.ts';
import { remedySearch, useRemedies } from './remedies.tsx';

const DAY_S = 86_400;

/** The most urgent notice in one line, and the others behind "and N more". */
export function Notices({
  concerns,
  onDismiss,
}: {
  concerns: readonly Concern[];
  onDismiss: (notice: { id: string; until: number | null }) => void;
}) {
  const [areAllShown, showAll] = useState(false);
  const shown = areAllShown ? concerns : concerns.slice(0, 1);
  const others = concerns.length - 1;
  const dismiss = (concern: Concern) => {
    // A stop comes back after a day.
    const until = concern.severity === 'stop' ? Math.floor(Date.now() / 1_000) + DAY_S : null;
    onDismiss({ id: noticeOf(concern), until });
  };
  return (
    <Stack gap="xs">
      {shown.map((concern, index) => (
        <Banner key={noticeOf(concern)} of={concern} onDismiss={() => dismiss(concern)}>
          {index === 0 && others > 0 && (
            <Button
              variant="default"
              size="compact-sm"
              aria-expanded={areAllShown}
              onClick={() => showAll(!areAllShown)}
            >
              {areAllShown ? 'Show one' : `and ${others} more`}
            </Button>
          )}
        </Banner>
      ))}
    </Stack>
  );
}

const LOOKS: Record<Severity, readonly [string, string, typeof IconInfoCircle]> = {
  stop: ['Stop', 'var(--bad)', IconAlertOctagon],
  warning: ['Warning', 'var(--caution)', IconAlertTriangle],
  note: ['Note', 'var(--mantine-color-anchor)', IconInfoCircle],
};

function Banner({
  of: concern,
  onDismiss,
  children,
}: {
  of: Concern;
  onDismiss: () => void;
  children: React.ReactNode;
}) {
  const { kind, object, occurrence, severity } = concern;
  const [word, colour, Icon] = LOOKS[severity];
  return (
    <Group
      className="banner"
      gap="xs"
      wrap="nowrap"
      style={{ borderColor: colour }}
      data-banner={`${kind} ${object} ${occurrence}`}
      data-severity={severity}
    >
      <Icon size={18} color={colour} aria-hidden style={{ flex: 'none' }} />
      <div className="clip-lines banner-words">
        <b style={{ color: colour }}>{word}:</b> <Words of={concern} />
      </div>
      {children}
      <CloseButton aria-label={`Dismiss: ${concern.link}`} onClick={onDismiss} />
    </Group>
  );
}

function Words({ of: { kind, link, name, note, to, href, asks } }: { of: Concern }) {
  const remedy = useRemedies().find((each) => each.of === kind);
  return (
    <>
      {remedy ? (
        <Anchor component={Link} to="." search={remedySearch(remedy)} resetScroll={false}>
          {link}
        </Anchor>
      ) : (
        <Head words={link} to={to} href={href} />
      )}
      {name !== undefined && (
        <>
          : <Name of={name} />
        </>
      )}
      {note !== undefined && <Text span inherit>{` (${note})`}</Text>}
      {asks !== undefined && (
        <>
          .{' '}
          <Anchor component={Link} to="/raise" search={{ budget: asks } as never}>
            Ask for more
          </Anchor>
        </>
      )}
    </>
  );
}

function Head({ words, to, href }: { words: string; to?: string | undefined; href?: string | undefined }) {
  if (to !== undefined)
    return (
      <Anchor component={Link} to={to}>
        {words}
      </Anchor>
    );
  return href === undefined ? words : <Anchor href={href}>{words}</Anchor>;
}
