import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { useIsAdmin } from '../../data/use-me.ts';

/** Loaded when a budget is created: most visits create none. */
const BudgetDialog = lazy(async () => ({ default: (await import('./budget-dialog.tsx')).BudgetDialog }));

/** Creates a budget of what the page is filtered by. */
export function BudgetButton() {
  const [isOpen, { open, close }] = useDisclosure();
  if (!useIsAdmin()) return null;
  return (
    <>
      <Button variant="default" onClick={open}>
        Create a budget from this
      </Button>
      {isOpen && (
        <Suspense>
          <BudgetDialog onClose={close} />
        </Suspense>
      )}
    </>
  );
}
