import { Checkbox, Text } from '@mantine/core';
import { useSharedSearch } from '../../../data/use-range.ts';
import { type Column, Rows } from '../../../parts/page/rows.tsx';
import { exact } from '../../../parts/text/format.ts';
import { Name } from '../../../parts/text/name.tsx';
import { PageLink } from '../../../parts/text/page-link.tsx';
import { plainName } from '../../../parts/text/plain-name.ts';
import { Count } from '../../../parts/text/values.tsx';
import type { UnpricedModel } from '../queries.ts';

/** The reason why no rule can name a model, or null. */
export function unnamable(model: string): string | null {
  if (model === 'unknown') return 'These calls name no model. Have their tool report it.';
  return model.includes('*') ? 'A rule would read the * as any characters.' : null;
}

/** The models with calls without a price, to choose those that get one. */
export function UnpricedModels({
  models,
  chosen = [],
  onChoose,
}: {
  models: readonly UnpricedModel[];
  /** Left out where nothing is to be chosen. */
  chosen?: readonly string[];
  onChoose?: (chosen: string[]) => void;
}) {
  const search = useSharedSearch();
  const columns: readonly Column<UnpricedModel>[] = [
    {
      label: 'Model',
      isHeading: true,
      narrow: 'first',
      render: ({ model }) =>
        onChoose && unnamable(model) === null ? (
          <Checkbox
            label={<Name of={model} />}
            aria-label={plainName(model)}
            checked={chosen.includes(model)}
            onChange={(event) =>
              onChoose(
                event.currentTarget.checked ? [...chosen, model] : chosen.filter((each) => each !== model),
              )
            }
          />
        ) : (
          <>
            <Name of={model} />
            {unnamable(model) !== null && (
              <Text size="xs" c="dimmed">
                {unnamable(model)}
              </Text>
            )}
          </>
        ),
    },
    {
      label: 'Calls',
      isNumber: true,
      render: ({ model, unpriced }) => (
        <PageLink to="/sessions" search={{ ...search, model }}>
          {exact(unpriced)}
        </PageLink>
      ),
    },
    { label: 'Tokens in', isNumber: true, render: ({ tokensIn }) => <Count of={tokensIn} /> },
    { label: 'Tokens out', isNumber: true, render: ({ tokensOut }) => <Count of={tokensOut} /> },
  ];
  return <Rows label="Models without a price" rows={models} columns={columns} keyOf={({ model }) => model} />;
}
