import { Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PageLink } from '../text/page-link.tsx';
import { TimesIn } from '../time/when.tsx';
import { GuideLink } from './guide-link.tsx';

/**
 * A page: its name as the one h1, which has the focus when the page opens, and a link to its guide; `back` is the list
 * that it belongs to.
 */
export function Page({
  title,
  heading: shown = title,
  lead,
  actions,
  back,
  children,
}: {
  title: string;
  /** The title on the page, where it is more than text. */
  heading?: React.ReactNode;
  lead?: React.ReactNode;
  actions?: React.ReactNode;
  back?: { to: string; label: string };
  children: React.ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page of the same kind counts as a new one.
  useEffect(() => takeFocus(heading.current), [pathname]);
  useEffect(() => {
    document.title = `${title} · usage-governor`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} miw={0} maw="100%">
          {back && (
            <PageLink to={back.to}>
              <Group gap={2} component="span">
                <IconChevronLeft size={14} aria-hidden />
                {back.label}
              </Group>
            </PageLink>
          )}
          <Title order={1} ref={heading} tabIndex={-1} className="wrap">
            {shown}
          </Title>
          <Text c="dimmed" size="sm" component="div" className="wrap">
            {lead && <>{lead} · </>}
            <TimesIn />
          </Text>
        </Stack>
        <Group gap="sm">
          {actions}
          <GuideLink />
        </Group>
      </Group>
      {children}
    </Stack>
  );
}

/** A dialog that was opened while the page was loaded keeps the focus. */
function takeFocus(heading: HTMLElement | null): void {
  if (!document.activeElement?.closest('[role=dialog], [role=alertdialog]'))
    heading?.focus({ preventScroll: true });
}
