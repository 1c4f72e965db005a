import { Suspense } from 'react';
import type { PageSection } from '../hooks/wing.ts';
import { anomalies } from './anomalies/sections.ts';
import { digests } from './digests/sections.ts';
import { held } from './held/sections.ts';
import { purchases } from './purchases/sections.ts';
import { raises } from './raises/sections.tsx';
import { refusals } from './refusals/sections.ts';

/** The parts of wings in pages of the core, in the order in which a place has them. */
const SECTIONS: readonly (readonly PageSection[])[] = [raises, held, anomalies, digests, purchases, refusals];

/** The parts that wings have at a place of a page. */
export function SectionsOfWings({ at }: Pick<PageSection, 'at'>) {
  const found = SECTIONS.flatMap((sections) => sections.filter((section) => section.at === at));
  return (
    <Suspense>
      {found.map(({ Content }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the table never changes.
        <Content key={place} />
      ))}
    </Suspense>
  );
}
