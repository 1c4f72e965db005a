import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from '@mantine/core';
import { useId } from 'react';
import { optionsOf } from './search-select.tsx';

/** The value of an input, and its change. */
export interface Field<Value> {
  value: Value;
  onChange: (value: Value) => void;
}

export type Own<Props> = Omit<Props, 'value' | 'onChange' | 'data'>;

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
