import type { Budget } from '../../data/queries.ts';
import { Choice, TextField } from '../form/fields.tsx';
import { NumberField } from '../form/number-field.tsx';

/** The fields of a budget that say when its windows begin and end. */
export type Calendar = Pick<Budget, 'window' | 'fiscal_start_month' | 'rolling_days' | 'starts_on'>;

const WINDOWS: Record<Budget['window'], string> = {
  hourly: 'hourly',
  daily: 'daily',
  weekly: 'weekly',
  monthly: 'monthly',
  quarterly: 'quarterly',
  rolling: 'rolling days',
  total: 'total, no reset',
};

const { rolling: _, ...ofPeople } = WINDOWS;
/** The windows of a template: days of people are not summed. */
const OF_PEOPLE = ofPeople as typeof WINDOWS;

const MONTHS = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    String(at + 1),
    new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, at)),
  ]),
);

const WEEK = 7;

/** The window of a budget, in words. */
export function windowWords({ window, rolling_days, starts_on }: Budget): string {
  if (window === 'rolling') return `in ${rolling_days} days`;
  return window === 'total' ? `in all since ${starts_on}` : window;
}

/** The inputs for the window of a budget, and for the one field that some windows have. */
export function WindowInputs({
  draft: { window, fiscal_start_month, rolling_days, starts_on, per },
  set,
}: {
  draft: Calendar & Pick<Budget, 'per'>;
  set: (change: Partial<Calendar>) => void;
}) {
  const choose = (chosen: Budget['window']) =>
    set({
      window: chosen,
      fiscal_start_month: chosen === 'quarterly' ? 1 : null,
      rolling_days: chosen === 'rolling' ? WEEK : null,
      starts_on: null,
    });
  return (
    <>
      <Choice label="Window" of={per ? OF_PEOPLE : WINDOWS} value={window} onChange={choose} />
      {window === 'quarterly' && (
        <Choice
          label="Fiscal year begins in"
          of={MONTHS}
          value={String(fiscal_start_month ?? 1)}
          onChange={(month) => set({ fiscal_start_month: Number(month) })}
        />
      )}
      {window === 'rolling' && (
        <NumberField
          label="Days, today included"
          min={2}
          max={31}
          allowDecimal={false}
          value={rolling_days ?? WEEK}
          onChange={(days) => set({ rolling_days: days })}
        />
      )}
      {window === 'total' && (
        <TextField
          label="From (today by default)"
          type="date"
          value={starts_on ?? ''}
          onChange={(date) => set({ starts_on: date || null })}
        />
      )}
    </>
  );
}
