import { Spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useMe } from '../data/use-me.ts';
import { useSharedSearch } from '../data/use-range.ts';
import { destinationsOf } from './navigation.ts';

/** Ctrl or Cmd and K: go to a page by its name or by what it answers. */
export function Palette() {
  const navigate = useNavigate();
  const { role } = useMe();
  const kept = useSharedSearch();
  const actions = destinationsOf(role).map(({ path, label, question, icon: Icon }) => ({
    id: path,
    label,
    description: question,
    leftSection: <Icon size={18} aria-hidden />,
    onClick: () => void navigate({ to: path, search: kept as never }),
  }));
  return (
    <Spotlight
      actions={actions}
      shortcut={['mod + K']}
      highlightQuery
      attributes={{ content: { 'aria-label': 'Go to a page' } }}
      nothingFound="No page of that name"
      searchProps={{ placeholder: 'Go to …', 'aria-label': 'Go to a page' }}
    />
  );
}
