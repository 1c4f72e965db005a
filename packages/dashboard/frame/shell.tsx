import { AppShell, Box, Burger, Group, NavLink, Popover, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Fragment, lazy, Suspense, useEffect } from 'react';
import { useSignOut } from '../data/use-act.ts';
import { useMe } from '../data/use-me.ts';
import { useSharedSearch } from '../data/use-range.ts';
import { GROUPS } from '../hooks/wing.ts';
import { ActButton } from '../parts/form/act-button.tsx';
import { Banners } from './banners.tsx';
import { destinationsOf } from './navigation.ts';
import { Palette } from './palette.tsx';
import { Permitted } from './permitted.tsx';
import { OpenRemedy } from './remedies.tsx';
import { Renewal } from './renewal.tsx';
import { SchemeButton } from './scheme-button.tsx';
import { Loading } from './waiting.tsx';

/** Loaded beside the page: it answers a pointer that rests. */
const TimeHint = lazy(async () => ({ default: (await import('./time-hint.tsx')).TimeHint }));

/** Header, navigation and the page. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes whenever another page opens.
  useEffect(close, [pathname]);
  useHotkeys([['Escape', close]]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#page" className="skip">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={opened}
            />
            <Mark />
            <Text fw={600} className="clip" title={useMe().org.name}>
              {useMe().org.name}
            </Text>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <Palette />
            <SchemeButton />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="sm"
        style={{ overflowY: 'auto' }}
        {...(opened ? {} : { visibleFrom: 'sm' })}
        aria-label="Pages"
      >
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page">
        <Banners>
          <Loading>
            <Permitted>
              <Outlet />
            </Permitted>
          </Loading>
        </Banners>
      </AppShell.Main>
      <Suspense>
        <TimeHint />
      </Suspense>
      <OpenRemedy />
      <Renewal />
    </AppShell>
  );
}

/** The range goes along from page to page, and so do the filters. */
function Navigation() {
  const { role } = useMe();
  const { pathname } = useLocation();
  const kept = useSharedSearch();
  const destinations = destinationsOf(role);
  return GROUPS.map((group) => (
    <Fragment key={group}>
      <div className="nav-heading">{group}</div>
      {destinations
        .filter((destination) => destination.group === group)
        .map(({ path, label, icon: Icon }) => {
          const isHere = path === '/' ? pathname === '/' : pathname.startsWith(path);
          return (
            <NavLink
              key={path}
              label={label}
              active={isHere}
              aria-current={isHere ? 'page' : undefined}
              leftSection={<Icon size={18} aria-hidden />}
              renderRoot={(props) => <Link to={path} search={kept as never} {...props} />}
            />
          );
        })}
    </Fragment>
  ));
}

/** The icon of the tab, beside the organization's name. */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" style={{ flex: 'none' }}>
      <rect width="32" height="32" rx="7" fill="#0b5cad" />
      <path
        d="M8 22a9 9 0 1 1 16 0M16 20l5-7"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
    </svg>
  );
}

function PersonMenu() {
  const { name, email, role, user_id } = useMe();
  const leave = useSignOut();
  const shown = name ?? email ?? user_id;
  return (
    <Popover position="bottom-end" withinPortal trapFocus>
      <Popover.Target>
        <UnstyledButton aria-label={`Signed in as ${shown}`} px="sm" h={36} maw={160}>
          <Text className="clip" size="sm" visibleFrom="sm">
            {shown}
          </Text>
          <Box hiddenFrom="sm" lh={0}>
            <IconUser size={20} aria-hidden />
          </Box>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown maw={320} className="wrap">
        <Text size="sm">{email}</Text>
        <Text size="xs" c="dimmed" mb="sm">
          {role} · {user_id}
        </Text>
        <ActButton act={leave} fullWidth leftSection={<IconLogout size={16} aria-hidden />}>
          Sign out
        </ActButton>
      </Popover.Dropdown>
    </Popover>
  );
}
