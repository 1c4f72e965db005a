import {
  NativeSelect,
  type NativeSelectProps,
  NumberInput,
  type NumberInputProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useId, useState } from 'react';

/** The input whose value it is. */
interface Field<Value> {
  value: Value;
  onChange: (value: Value) => void;
}

type Own<Props> = Omit<Props, 'value' | 'onChange' | 'data'>;

export function TextField({ onChange, ...input }: Own<TextInputProps> & Field<string>) {
  return <TextInput {...input} onChange={(event) => onChange(event.currentTarget.value)} />;
}

/** A choice among values, which are shown by their labels. */
export function Choice<Value extends string>({
  of,
  onChange,
  ...select
}: Own<NativeSelectProps> & Field<Value> & { of: Readonly<Record<Value, string>> }) {
  return (
    <NativeSelect
      {...select}
      data={optionsOf(of)}
      onChange={(event) => onChange(event.currentTarget.value as Value)}
    />
  );
}

export interface Option {
  value: string;
  label: string;
}

/** Options to choose from, by their names. */
export function optionsOf(names: Readonly<Record<string, string>>): Option[] {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}

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

/** A timezone to type, with suggestions of all that there are. */
export function TimezoneField(field: Field<string> & { description?: string }) {
  const list = useId();
  return (
    <>
      <TextField label="Timezone" required list={list} {...field} />
      <datalist id={list}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
