import { useSearch } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { SharedSearch } from '../data/range.ts';
import { useIsAdmin } from '../data/use-me.ts';
import { useChangeSearch } from '../data/use-range.ts';
import type { Remedy } from '../hooks/wing.ts';
import { REMEDIES } from '../wings/remedies.ts';

/** The remedies that the person may use. */
export function useRemedies(): readonly Remedy[] {
  return useIsAdmin() ? REMEDIES : [];
}

/** The address of a remedy: that of the page, which keeps its search parameters, but for the range that is to be mended. */
export function remedySearch({ of }: Remedy, range: Pick<SharedSearch, 'range' | 'from' | 'to'> = {}): never {
  return ((before: object) => ({ ...before, ...range, remedy: of })) as never;
}

/** The remedy that the address names. It stays open when its notice goes. */
export function OpenRemedy() {
  const { remedy } = useSearch({ strict: false }) as { remedy?: string };
  const change = useChangeSearch();
  const found = useRemedies().find(({ of }) => of === remedy);
  return (
    found && (
      <Suspense>
        <found.Content onClose={() => change({ remedy: undefined })} />
      </Suspense>
    )
  );
}
