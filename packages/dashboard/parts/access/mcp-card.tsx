import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api, take } from '../../data/client.ts';
import { useAct } from '../../data/use-act.ts';
import { useMe } from '../../data/use-me.ts';
import { useChoice } from '../../data/use-range.ts';
import { ActButton } from '../form/act-button.tsx';
import { Copyable } from '../form/copyable.tsx';
import { optionsOf, SearchSelect } from '../form/search-select.tsx';
import { Section } from '../page/section.tsx';
import { AGENTS, MCP_FILES, mcpSettings } from './mcp.ts';

/** The settings by which an agent asks this service itself: a key for it, and the server as its agent names it. */
export function McpCard() {
  const agent = useChoice('agent', AGENTS) ?? 'claude-code';
  const [key, setKey] = useState<string | null>(null);
  const { user_id } = useMe();
  const scopes = ['usage:read', 'budgets:check'] as const;
  const create = useAct(
    () => take(api.POST('/v1/keys', { body: { name: 'MCP', scopes: [...scopes], user_id } })),
    { changes: ['keys'], onDone: (made) => setKey(made.key) },
  );
  const file = MCP_FILES[agent];
  return (
    <Section title="Let an agent ask (MCP)">
      <Text size="sm" c="dimmed">
        Agents can ask what their work cost and what is left of your budgets, and reserve an amount before
        they spend it. They read nothing of anybody else and change no budget.
      </Text>
      <SearchSelect name="agent" label="Agent" maw={440} value={agent} data={optionsOf(AGENTS)} />
      <Group>
        <ActButton act={create}>Create a key for agents</ActButton>
      </Group>
      <Text size="sm">
        {key === null
          ? 'Its key is in the environment, so that no file has it. With a key in place of API_KEY:'
          : 'The key is shown this once. Put it into the environment in which the agent starts:'}
      </Text>
      <Copyable label="Environment" value={`export GOVERNOR_API_KEY=${key ?? 'API_KEY'}`} />
      <Text size="sm">
        {file === null ? (
          'Then run this once:'
        ) : (
          <>
            Then add this to <code>{file}</code>:
          </>
        )}
      </Text>
      <Copyable label="MCP server" value={mcpSettings(agent, window.location.origin)} />
    </Section>
  );
}
