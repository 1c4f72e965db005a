import { Box } from '@mantine/core';
import { amount } from '../text/format.ts';
import { Gauge, GaugeLegend, type Mark, type Measured } from './bar.tsx';
import './standing-bar.css';

/** A budget, or one person of a template, with what open reservations hold and what raises add to the threshold. */
export interface Standing extends Measured {
  reserved: number | null;
  raised: number;
}

/** The bar of a budget with what open reservations hold beside the used part, and the part of the threshold that is raised. */
export function StandingBar({ budget }: { budget: Standing }) {
  const { metric, threshold_now, utilization_pct, raised } = budget;
  const held = reservedOf(budget);
  const note = [
    ...(held > 0 ? [`, ${amount(metric, held)} reserved`] : []),
    ...(raised > 0 ? [`, ${amount(metric, raised)} raised`] : []),
  ].join('');
  return (
    <Gauge budget={budget} note={note}>
      {(lengthPct) => {
        const part = (pct: number) => `${(pct / lengthPct) * 100}%`;
        const raisedFrom = Math.max(100 - (raised / threshold_now) * 100, utilization_pct);
        return (
          <>
            {raised > 0 && raisedFrom < 100 && (
              <Box className="bar-raised" style={{ left: part(raisedFrom), width: part(100 - raisedFrom) }} />
            )}
            {held > 0 && (
              <Box
                className="bar-held"
                style={{ left: part(utilization_pct), width: part((held / threshold_now) * 100) }}
              />
            )}
          </>
        );
      }}
    </Gauge>
  );
}

/** The meaning of the marks that the bars of these budgets have. */
export function StandingLegend({ of: budgets }: { of: readonly Standing[] }) {
  const more: Mark[] = [];
  if (budgets.some((budget) => reservedOf(budget) > 0))
    more.push({ mark: 'legend-held', words: 'reserved by calls under way' });
  if (budgets.some(({ raised }) => raised > 0)) more.push({ mark: 'legend-raised', words: 'raised' });
  return <GaugeLegend more={more} />;
}

/** The amount that open reservations hold; 0 also while it cannot be read. */
export function reservedOf({ reserved }: Pick<Standing, 'reserved'>): number {
  return reserved ?? 0;
}
