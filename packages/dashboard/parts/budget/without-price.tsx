import { Alert, Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { BudgetDetail } from '../../data/queries.ts';
import { dateIn, plusDays } from '../../data/range.ts';
import { remedySearch, useRemedies } from '../../frame/remedies.tsx';
import { exact } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { useZone } from '../time/when.tsx';

/** Models that are named; the others are counted. */
const NAMED = 5;

/** The calls of the window that have no price, by model, and for an admin the way to give them one. */
export function WithoutPrice({ budget }: { budget: BudgetDetail }) {
  const { unpriced_signals: count, unpriced_models: models, per } = budget;
  const remedy = useRemedies().find(({ of }) => of === 'unpriced');
  const range = useWindowRange(budget);
  const others = models.length - NAMED;
  return (
    <Alert color="orange" variant="outline">
      {exact(count)} {count === 1 ? 'call' : 'calls'} without a price {count === 1 ? 'counts' : 'count'} as
      nothing in this window{per && ' of the person who is furthest'}
      {models.slice(0, NAMED).map(({ model, signals }, at) => (
        <span key={model}>
          {at === 0 ? ': ' : ', '}
          <Name of={model} /> {exact(signals)}
        </span>
      ))}
      {others > 0 && ` and ${exact(others)} more ${others === 1 ? 'model' : 'models'}`}.{' '}
      {remedy && (
        <Anchor component={Link} to="." search={remedySearch(remedy, range)} resetScroll={false} inherit>
          Give {count === 1 ? 'it' : 'them'} a price
        </Anchor>
      )}
    </Alert>
  );
}

/** The whole days of the window up to now, as a range of the dashboard. */
function useWindowRange({ counted_from }: BudgetDetail) {
  const zone = useZone();
  const from = dateIn(zone, Date.parse(counted_from));
  return { range: 'custom' as const, from, to: plusDays(dateIn(zone, Date.now()), 1) };
}
