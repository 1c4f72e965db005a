import '@mantine/dates/styles.css';
import { Button } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { useState } from 'react';
import { dateIn, plusDays } from '../../data/range.ts';
import { useRange } from '../../data/use-range.ts';
import { useZone } from '../time/when.tsx';

/**
 * From one day to another, both included; `onChoose` gets the end exclusive, as the API has it. Begins with the range that is
 * shown, and marks the organization's today.
 */
export function DateChoice({ onChoose }: { onChoose: (from: string, to: string) => void }) {
  const { query } = useRange();
  const today = dateIn(useZone(), Date.now());
  const end = query.to === undefined ? today : plusDays(query.to.slice(0, 10), query.to.length > 10 ? 0 : -1);
  const [dates, setDates] = useState<[string | null, string | null]>([query.from.slice(0, 10), end]);
  const [from, last] = dates;
  return (
    <>
      <DatePicker
        type="range"
        value={dates}
        onChange={setDates}
        defaultDate={end}
        allowSingleDateInRange
        hideOutsideDates
        weekendDays={[]}
        getDayProps={(date) => (date === today ? { className: 'today', 'aria-current': 'date' } : {})}
        ariaLabels={{ nextMonth: 'Next month', previousMonth: 'Month before' }}
      />
      <Button
        mt="sm"
        fullWidth
        onClick={() => from && last && onChoose(from, plusDays(last, 1))}
        disabled={!from || !last}
      >
        Show these days
      </Button>
    </>
  );
}
