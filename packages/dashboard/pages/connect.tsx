import { Checkbox, List, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../data/client.ts';
import { useAct } from '../data/use-act.ts';
import { useIsAdmin, useMe } from '../data/use-me.ts';
import { useChoice } from '../data/use-range.ts';
import { Arrival } from '../parts/access/arrival.tsx';
import { BranchesCard } from '../parts/access/branches-card.tsx';
import { type Key, KeyTable } from '../parts/access/key-table.tsx';
import { expiryOf, LIVES } from '../parts/access/lives.ts';
import { McpCard } from '../parts/access/mcp-card.tsx';
import {
  FORMS,
  type Form,
  formsOf,
  hooksFor,
  MANAGED_PATHS,
  pasteFor,
  TOOLS,
  type Tool,
} from '../parts/access/tools.ts';
import { ActButton } from '../parts/form/act-button.tsx';
import { changesOf, useDraft } from '../parts/form/act-form.tsx';
import { Copyable } from '../parts/form/copyable.tsx';
import { Choice } from '../parts/form/fields.tsx';
import { optionsOf, SearchSelect } from '../parts/form/search-select.tsx';
import { Page } from '../parts/page/page.tsx';
import { Section } from '../parts/page/section.tsx';

/** The persons as whom a key reports. */
const OWNERS = { me: 'me', all: 'everybody in the organization: each record names its user' };

/** The fate of calls while the service is away. */
const OUTAGES = { go: 'go on', stop: 'stop' };

interface Draft {
  owner: keyof typeof OWNERS;
  life: keyof typeof LIVES;
  asks: boolean;
  outage: keyof typeof OUTAGES;
}

const NEW: Draft = { owner: 'me', life: '', asks: false, outage: 'go' };

type Made = Pick<Key, 'id' | 'created_at' | 'user_id' | 'scopes'> & { key: string };

/** Connect a tool: make a key, take the settings over, wait for the first signal. */
export function Connect() {
  const tool = useChoice('tool', TOOLS) ?? 'claude-code';
  const [made, setMade] = useState<Made | null>(null);
  const { draft, field } = useDraft(NEW);
  const { user_id } = useMe();
  const shown = made ? { ...draft, ...choicesOf(made) } : draft;
  const create = useAct(() => take(api.POST('/v1/keys', { body: bodyOf(tool, draft, user_id) })), {
    changes: ['keys'],
    onDone: setMade,
  });
  return (
    <Page title="Connect" lead="Three steps until the first call of a tool arrives">
      <Section title="1. Choose the tool and create a key">
        <SearchSelect name="tool" label="Tool" maw={320} value={tool} data={optionsOf(TOOLS)} />
        <KeyChoices tool={tool} field={field} />
        <div>
          <ActButton act={create} variant="filled">
            Create key
          </ActButton>
        </div>
      </Section>
      <Section title="2. Give it these settings">
        {made ? (
          <Text>
            The key in them is shown this once. Copy them now.
            {Object.keys(changesOf(shown, draft)).length > 0 &&
              ' The choices above are those of the next key.'}
          </Text>
        ) : (
          <Text c="dimmed">With a key in place of API_KEY, once you have created one.</Text>
        )}
        <Settings tool={tool} made={made} draft={shown} />
      </Section>
      <Section title="3. Use it once">
        {made ? (
          <Arrival key={made.id} keyId={made.id} sinceS={made.created_at} userId={made.user_id} />
        ) : (
          <Text c="dimmed">Then its first call appears here.</Text>
        )}
      </Section>
      <BranchesCard apiKey={made?.key ?? null} />
      <McpCard />
      <Section title="Your keys">
        <KeyTable userId={user_id} />
      </Section>
    </Page>
  );
}

/** The choices with which a key was made: its settings ask for nothing that it may not do. */
function choicesOf({ user_id, scopes }: Made): Pick<Draft, 'owner' | 'asks'> {
  return { owner: user_id === null ? 'all' : 'me', asks: scopes.includes('budgets:check') };
}

/** The key as the API takes it. */
function bodyOf(tool: Tool, { owner, life, asks }: Draft, userId: string) {
  return {
    name: TOOLS[tool],
    scopes: [
      'signals:write' as const,
      // A key of everybody lies on every machine, so it reads nothing.
      ...(owner === 'me' ? (['usage:read'] as const) : []),
      ...(asks ? (['budgets:check'] as const) : []),
    ],
    ...(owner === 'me' ? { user_id: userId } : {}),
    ...expiryOf(life),
  };
}

function KeyChoices({ tool, field }: { tool: Tool; field: ReturnType<typeof useDraft<Draft>>['field'] }) {
  const isAdmin = useIsAdmin();
  const asks = field('asks');
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} maw={660}>
        {isAdmin && (
          <Choice
            label="The key reports as"
            description={
              field('owner').value === 'me'
                ? 'It can report and see nobody else'
                : 'For managed settings. It reads nothing, and whoever has it can report anybody'
            }
            of={OWNERS}
            {...field('owner')}
          />
        )}
        <Choice
          label="It expires"
          description="Then the tool’s calls are refused"
          of={LIVES}
          {...field('life')}
        />
      </SimpleGrid>
      <Checkbox
        label="A hook may ask before each call whether the budgets allow it (budgets:check)"
        checked={asks.value}
        onChange={(event) => asks.onChange(event.currentTarget.checked)}
      />
      {asks.value && tool === 'claude-code' && (
        <Choice
          label="When this service is away"
          description="Likewise with an expired or unknown key"
          of={OUTAGES}
          {...field('outage')}
        />
      )}
    </>
  );
}

function Settings({
  tool,
  made,
  draft: { asks, owner, outage },
}: {
  tool: Tool;
  made: Made | null;
  draft: Draft;
}) {
  const forms = formsOf(tool);
  const form = useChoice('form', FORMS) ?? forms[0];
  const shown = forms.includes(form) ? form : forms[0];
  const { origin } = window.location;
  const stops = outage === 'stop';
  const target = { origin, key: made?.key ?? 'API_KEY', asks, stops, userId: owner === 'all' ? 'ada' : null };
  return (
    <>
      {forms.length > 1 && (
        <SearchSelect
          name="form"
          label="As"
          maw={320}
          value={shown}
          data={forms.map((value) => ({ value, label: FORMS[value] }))}
        />
      )}
      <Copyable label="Settings" value={pasteFor(tool, shown, target)} />
      <Place tool={tool} form={shown} asks={asks} stops={stops} />
    </>
  );
}

/** Where the settings belong, and what else the hooks need. */
function Place({ tool, form, asks, stops }: { tool: Tool; form: Form; asks: boolean; stops: boolean }) {
  if (form === 'managed')
    return (
      <List size="sm" aria-label="Path of the file, by system">
        {MANAGED_PATHS.map(([system, path]) => (
          <List.Item key={system} className="wrap">
            {system}: <code>{path}</code>
          </List.Item>
        ))}
      </List>
    );
  if (!asks) return null;
  if (tool !== 'claude-code')
    return (
      <Text size="sm">
        Codex and Cursor ask by the command <code>governor check</code>, which reads GOVERNOR_API and
        GOVERNOR_API_KEY. The other tools have no hook: their telemetry counts, and nothing refuses their
        calls.
      </Text>
    );
  return (
    <>
      <Text size="sm">
        And these hooks in ~/.claude/settings.json, which refuse a call that a hard budget refuses:
      </Text>
      <Copyable
        label="Hooks"
        value={JSON.stringify({ hooks: hooksFor(window.location.origin, stops) }, null, 2)}
      />
    </>
  );
}
