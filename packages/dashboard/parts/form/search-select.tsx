import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useChangeSearch } from '../../data/use-range.ts';

interface Option {
  value: string;
  label: string;
}

/** A choice that is a search parameter of the URL. `none` is a first option, to choose none. */
export function SearchSelect({
  name,
  none,
  data,
  ...rest
}: Omit<NativeSelectProps, 'data'> & { name: string; none?: string; data: readonly (string | Option)[] }) {
  const chosen = (useSearch({ strict: false }) as Record<string, string | undefined>)[name] ?? '';
  const change = useChangeSearch();
  return (
    <NativeSelect
      value={chosen}
      onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
      data={none === undefined ? data : [{ value: '', label: none }, ...data]}
      {...rest}
    />
  );
}

/** Options to choose from, by their names. */
export function optionsOf(names: Readonly<Record<string, string>>): Option[] {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
