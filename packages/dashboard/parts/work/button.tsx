import { Button, Popover, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';

/** Loaded when it is first opened. */
const WorkFilters = lazy(async () => ({ default: (await import('./filters.tsx')).WorkFilters }));

/** Filters by repository, branch and task, behind a button. */
export function WorkButton() {
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <Popover opened={opened} onChange={close} trapFocus withinPortal position="bottom-start">
      <Popover.Target>
        <Button variant="default" onClick={toggle}>
          Branch, task …
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={<Skeleton width={260} height={240} />}>
          <WorkFilters onDone={close} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
