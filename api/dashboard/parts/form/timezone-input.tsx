import { TextInput } from '@mantine/core';
import { useId } from 'react';

/** A timezone to type, with all that there are to choose from. */
export function TimezoneInput({
  value,
  onChange,
  description,
}: {
  value: string;
  onChange: (timezone: string) => void;
  description?: string;
}) {
  const list = useId();
  return (
    <>
      <TextInput
        label="Timezone"
        description={description}
        required
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        list={list}
      />
      <datalist id={list}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
