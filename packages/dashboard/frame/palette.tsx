import { ActionIcon } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';

/** Loaded when it is first opened. */
const PaletteDialog = lazy(async () => ({ default: (await import('./palette-dialog.tsx')).PaletteDialog }));

/** The button of the palette, which Ctrl or Cmd and K opens too, from anywhere. */
export function Palette() {
  const [isWanted, setWanted] = useState(false);
  const [isOpen, { open, close }] = useDisclosure(false, { onOpen: () => setWanted(true) });
  useHotkeys([['mod+K', open]], [], true);
  return (
    <>
      <ActionIcon variant="default" size="lg" onClick={open} aria-label="Go to a page (Ctrl K)">
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      <Suspense>{isWanted && <PaletteDialog isOpen={isOpen} onClose={close} />}</Suspense>
    </>
  );
}
