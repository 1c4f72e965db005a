import { Combobox, Group, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconActivity,
  IconBolt,
  IconFolder,
  IconGauge,
  IconKey,
  type IconLayoutDashboard,
  IconSearch,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useState } from 'react';
import { type AnswerOf, api, take } from '../data/client.ts';
import { useMe } from '../data/use-me.ts';
import { useSharedSearch } from '../data/use-range.ts';
import type { FoundKind } from '../hooks/wing.ts';
import { plainName } from '../parts/text/plain-name.ts';
import { PALETTE_WINGS } from '../wings/palette.ts';
import { actionsNamed } from './actions.ts';
import { destinationsOf } from './navigation.ts';

type Found = AnswerOf<'/api/v1/search'>['data'][number];

/** The kinds of things that are found, those of wings by their own rows. */
const KINDS: Readonly<Record<string, FoundKind>> = {
  user: ['User', IconUser],
  project: ['Project', IconFolder],
  session: ['Session', IconActivity],
  signal: ['Call', IconBolt],
  budget: ['Budget', IconGauge],
  key: ['Key', IconKey],
  ...Object.assign({}, ...PALETTE_WINGS.map(({ kinds }) => kinds)),
};

/** The service is asked from this many characters on. */
const SHORTEST = 2;
const TYPING_MS = 150;

/** Something to choose in the palette. */
interface Choice {
  id: string;
  icon: typeof IconLayoutDashboard;
  name: string;
  about: string;
  go: () => void;
}

/** Goes to a page by its name or by what it answers, to what people do there, and to what the search finds. */
export function PaletteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={600}
      // At once, so that an opening right after a choice begins anew.
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': 'Go to a page' } }}
    >
      <Finder onClose={onClose} />
    </Modal>
  );
}

/** Its content begins anew each time. The arrows choose, Enter goes. */
function Finder({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const combobox = useCombobox({ opened: true });
  const search = useSearchFor(query.trim());
  const pages = usePagesNamed(query.trim());
  const actions = useActionsNamed(query.trim());
  const found = useFound(search.data ?? []);
  const choices = [...pages, ...actions, ...found];
  const shown = choices.map(({ id }) => id).join(' ');
  // True after Enter before anything was found: an id that is pasted leads on as soon as it is.
  const [isHasty, setHasty] = useState(false);
  const choose = (id: string) => {
    onClose();
    choices.find((choice) => choice.id === id)?.go();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: Enter goes to the first of the choices that are shown now.
  useLayoutEffect(() => {
    combobox.selectFirstOption();
    if (isHasty && choices[0]) choose(choices[0].id);
  }, [shown]);
  return (
    <Combobox store={combobox} onOptionSubmit={choose}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          size="md"
          data-autofocus
          leftSection={<IconSearch size={18} aria-hidden />}
          placeholder="Go to …"
          aria-label="Go to a page"
          role="combobox"
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setHasty(false);
          }}
          onKeyDown={({ key }) => {
            // An open combobox keeps Escape from the dialog around it.
            if (key === 'Escape') onClose();
            if (key === 'Enter' && choices.length === 0) setHasty(true);
          }}
        />
      </Combobox.EventsTarget>
      <Combobox.Options mah={400} p={4} className="found-list" tabIndex={0} aria-label="Found">
        {choices.map((choice) => (
          <ChoiceLine key={choice.id} of={choice} />
        ))}
      </Combobox.Options>
      <Text size="sm" c="dimmed" p="sm" role="status" className="wrap">
        {outcomeOf(search, choices.length)}
      </Text>
    </Combobox>
  );
}

function ChoiceLine({ of: { id, icon: Icon, name, about } }: { of: Choice }) {
  return (
    <Combobox.Option value={id}>
      <Group gap="sm" wrap="nowrap">
        <Icon size={18} aria-hidden style={{ flex: 'none' }} />
        <div className="found">
          <Text size="sm" className="clip">
            <bdi>{plainName(name)}</bdi>
          </Text>
          <Text size="xs" className="clip">
            {about}
          </Text>
        </div>
      </Group>
    </Combobox.Option>
  );
}

/** The pages that the person may open and whose name or question holds the text. The range and the filters go along. */
function usePagesNamed(query: string): Choice[] {
  const navigate = useNavigate();
  const { role } = useMe();
  const kept = useSharedSearch();
  const wanted = query.toLowerCase();
  return destinationsOf(role)
    .filter(({ label, question }) => `${label} ${question}`.toLowerCase().includes(wanted))
    .map(({ path, label, question, icon }) => ({
      id: path,
      icon,
      name: label,
      about: question,
      go: () => void navigate({ to: path, search: kept as never }),
    }));
}

/** The actions of this name that the person may carry out. */
function useActionsNamed(query: string): Choice[] {
  const navigate = useNavigate();
  const { role } = useMe();
  return actionsNamed(role, query).map(({ name, icon, to, search = {} }) => ({
    id: `action ${name}`,
    icon,
    name,
    about: 'Action',
    go: () => void navigate({ to, search: search as never }),
  }));
}

/** Asks the service for a text, once nobody types any more. */
function useSearchFor(query: string) {
  const [settled] = useDebouncedValue(query, TYPING_MS);
  const isAsked = Array.from(query).length >= SHORTEST;
  const search = useQuery({
    queryKey: ['search', settled],
    queryFn: () => take(api.GET('/api/v1/search', { params: { query: { q: settled } } })),
    enabled: isAsked && Array.from(settled).length >= SHORTEST,
  });
  // The placeholder is the answer to another text.
  const isCurrent = isAsked && settled === query && !search.isPlaceholderData;
  return {
    isAsked,
    isLooking: isAsked && (!isCurrent || search.isFetching),
    data: isCurrent ? search.data?.data : undefined,
    error: isCurrent ? (search.error ?? search.failureReason) : null,
  };
}

/** The outcome in words, which a screen reader says too. */
function outcomeOf({ isAsked, isLooking, error }: ReturnType<typeof useSearchFor>, found: number): string {
  if (!isAsked)
    return `Type ${SHORTEST} characters to look for people, pull requests, branches, sessions, budgets and more.`;
  if (error) return `The search did not work: ${error.message}`;
  if (isLooking) return 'Looking …';
  if (found === 0) return 'Nothing of this name or id is here, or you may not see it.';
  return `${found} found`;
}

function useFound(found: readonly Found[]): Choice[] {
  const navigate = useNavigate();
  return found.map(({ kind, id, name, about = id, path }) => {
    const [label, icon] = KINDS[kind] ?? [kind, IconSearch];
    const { pathname, searchParams } = new URL(path, window.location.origin);
    const to = decodeURIComponent(pathname.replace(/^\/dashboard/, ''));
    const search = Object.fromEntries(searchParams) as never;
    return {
      id: `${kind} ${id}`,
      icon,
      name,
      about: name === about ? label : `${label} · ${plainName(about)}`,
      go: () => void navigate({ to, search }),
    };
  });
}
