import { NativeSelect } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useChangeSearch } from '../data/use-range.ts';

type Option = string | { value: string; label: string };

/** A choice that stands in the URL under its name; the first option is to choose none. */
export function SearchSelect({
  name,
  label,
  none,
  options,
  maw,
}: {
  name: string;
  label: string;
  none: string;
  options: readonly Option[];
  maw?: number;
}) {
  const chosen = (useSearch({ strict: false }) as Record<string, string | undefined>)[name] ?? '';
  const change = useChangeSearch();
  return (
    <NativeSelect
      aria-label={label}
      maw={maw}
      value={chosen}
      onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
      data={[{ value: '', label: none }, ...options]}
    />
  );
}
