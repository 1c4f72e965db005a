import { Button, Checkbox, Group, NativeSelect, Popover, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { FIRST_COLUMN, HIDDEN_AT_FIRST } from './columns.tsx';

export const PAGE_SIZES = [25, 50, 100] as const;

/** The columns that are hidden and the rows of a page, as this browser keeps them. */
export function useSessionView() {
  const [hidden, setHidden] = useLocalStorage<readonly string[]>({
    key: 'sessions-hidden-columns',
    defaultValue: HIDDEN_AT_FIRST,
    getInitialValueInEffect: false,
  });
  const [kept, setLimit] = useLocalStorage<number>({
    key: 'sessions-rows',
    defaultValue: 50,
    getInitialValueInEffect: false,
  });
  const limit = PAGE_SIZES.find((size) => size === kept) ?? 50;
  return { hidden: Array.isArray(hidden) ? hidden : HIDDEN_AT_FIRST, setHidden, limit, setLimit };
}

/** Chooses the columns and the number of rows. */
export function ViewOptions({
  columns,
  view: { hidden, setHidden, limit, setLimit },
}: {
  columns: readonly { label: string }[];
  view: ReturnType<typeof useSessionView>;
}) {
  const toggle = (label: string) =>
    setHidden(hidden.includes(label) ? hidden.filter((each) => each !== label) : [...hidden, label]);
  return (
    <Group gap="sm">
      <Popover trapFocus withinPortal position="bottom-end">
        <Popover.Target>
          <Button variant="default" size="compact-sm">
            Columns …
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="xs" role="group" aria-label="Columns">
            {columns
              .filter(({ label }) => label !== FIRST_COLUMN)
              .map(({ label }) => (
                <Checkbox
                  key={label}
                  label={label}
                  checked={!hidden.includes(label)}
                  onChange={() => toggle(label)}
                />
              ))}
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <NativeSelect
        aria-label="Rows per page"
        size="xs"
        value={String(limit)}
        onChange={(event) => setLimit(Number(event.currentTarget.value))}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: `${size} rows` }))}
      />
    </Group>
  );
}
