import { Button, Group, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useChangeSearch } from '../../../data/use-range.ts';
import { SearchSelect } from '../../../parts/form/search-select.tsx';
import { FilterPill } from '../../../parts/page/range-bar.tsx';
import { usePullRequestSearch } from './search.ts';
import { readReference } from './words.ts';

/** Finds one pull request, or narrows the list by state, by calls and by when it was opened. All of it is in the URL. */
export function PullRequestFilters() {
  const { number } = usePullRequestSearch();
  const isOne = number !== undefined;
  return (
    <Group gap="sm" align="flex-start">
      <Find />
      <SearchSelect
        name="state"
        aria-label="State"
        none="Any state"
        maw={150}
        data={[
          { value: 'open', label: 'Open' },
          { value: 'merged', label: 'Merged' },
          { value: 'closed', label: 'Closed without merging' },
        ]}
      />
      <SearchSelect
        name="opened"
        aria-label="Opened"
        none={isOne ? 'Opened at any time' : 'With calls in the range'}
        data={[
          { value: 'range', label: 'Opened in the range' },
          ...(isOne ? [] : [{ value: 'any', label: 'Opened at any time' }]),
        ]}
      />
      <SearchSelect
        name="order"
        aria-label="Order"
        none="Most expensive first"
        data={[
          { value: 'desc', label: 'Newest first' },
          { value: 'asc', label: 'Oldest first' },
        ]}
      />
      {number && (
        <FilterPill name="number" label="Number">
          Number: {number}
        </FilterPill>
      )}
    </Group>
  );
}

/** Takes a number, a reference or the address that people have at hand. */
function Find() {
  const change = useChangeSearch();
  const [text, setText] = useState('');
  const [isRefused, setRefused] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const sought = readReference(text);
        setRefused(sought === null);
        if (sought === null) return;
        change({ ...sought });
        setText('');
      }}
    >
      <Group gap={4} wrap="nowrap" align="flex-start">
        <TextInput
          aria-label="Find by number or address"
          placeholder="#12 or its address"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setRefused(false);
          }}
          error={isRefused && 'A number such as 12, or an address such as github.com/acme/shop#12'}
          leftSection={<IconSearch size={16} aria-hidden />}
          w={230}
        />
        <Button type="submit" variant="default">
          Find
        </Button>
      </Group>
    </form>
  );
}
