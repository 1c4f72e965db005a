import '@mantine/dates/styles.css';
import { Button } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { useState } from 'react';
import { plusDays } from '../../data/range.ts';

/** From one day to another, both included; `onChoose` gets the end exclusive, as the API has it. */
export function DateChoice({ onChoose }: { onChoose: (from: string, to: string) => void }) {
  const [dates, setDates] = useState<[string | null, string | null]>([null, null]);
  const [from, last] = dates;
  return (
    <>
      <DatePicker
        type="range"
        value={dates}
        onChange={setDates}
        allowSingleDateInRange
        hideOutsideDates
        weekendDays={[]}
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
