import { useDisclosure } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useChangeSearch } from './use-range.ts';

/** A dialog that a link may open too: by `?open=` with its name, which the URL loses at once. */
export function useDialog(name?: string): ReturnType<typeof useDisclosure> {
  const dialog = useDisclosure();
  const [, { open }] = dialog;
  const { open: wanted } = useSearch({ strict: false }) as { open?: string };
  const change = useChangeSearch();
  const isWanted = name !== undefined && wanted === name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens once for each link that asks for it.
  useEffect(() => {
    if (!isWanted) return;
    open();
    change({ open: undefined });
  }, [isWanted]);
  return dialog;
}
