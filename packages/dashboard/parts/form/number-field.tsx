import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import type { Field, Own } from './fields.tsx';

/** A number to type. It may be empty, or end with a point, while it is typed; an empty one counts as 0 and is not sent. */
export function NumberField({ value, onChange, ...rest }: Own<NumberInputProps> & Field<number>) {
  const [typed, setTyped] = useState<number | string>(value);
  return (
    <NumberInput
      required
      allowNegative={false}
      thousandSeparator=","
      {...rest}
      value={Number(typed) === value ? typed : value}
      onChange={(next) => {
        setTyped(next);
        onChange(Number(next));
      }}
    />
  );
}
