import './session.css';
import { Box, SimpleGrid, Table, Text } from '@mantine/core';
import { exact, money } from '../text/format.ts';
import { Name } from '../text/name.tsx';
import { Count } from '../text/values.tsx';
import { type Breakdown, share } from './words.ts';

const PARTS: Record<keyof Breakdown['parts'], string> = {
  input: 'Input',
  cache_read: 'Read from cache',
  cache_write: 'Written to cache',
  output: 'Output',
  request: 'Per request',
  unsplit: 'Not split: no list price',
};

/** Where the cost of a session went: three tables that sum to it. */
export function BreakdownTables({ breakdown }: { breakdown: Breakdown }) {
  const { cost, parts, by_tool, by_model } = breakdown;
  const whole = Number(cost);
  const entries = Object.entries(parts) as [keyof typeof parts, string][];
  return (
    <SimpleGrid cols={{ base: 1, lg: 3 }}>
      <Amounts
        label="Cost by part"
        heading="Part"
        whole={whole}
        rows={entries
          .filter(([, amount]) => Number(amount) !== 0)
          .toSorted(([, one], [, other]) => Number(other) - Number(one))
          .map(([part, amount]) => ({ name: PARTS[part], cost: amount }))}
      />
      <Amounts
        label="Cost by tool"
        heading="Tool"
        whole={whole}
        rows={by_tool.map(({ tool_name, rest, ...row }) => ({
          ...row,
          name: nameOf(tool_name, rest, 'no tool named'),
        }))}
      />
      <Amounts
        label="Cost by model"
        heading="Model"
        whole={whole}
        rows={by_model.map(({ model, rest, ...row }) => ({
          ...row,
          name: nameOf(model, rest, 'no model named'),
        }))}
      />
    </SimpleGrid>
  );
}

function nameOf(name: string | null, rest: true | undefined, unnamed: string): string {
  return rest ? 'all others' : (name ?? unnamed);
}

interface Row {
  name: string;
  cost: string;
  calls?: number;
  errors?: number;
  tokens_in?: number;
  tokens_out?: number;
}

/** One table. Rows beyond the first ten scroll. */
function Amounts({
  label,
  heading,
  whole,
  rows,
}: {
  label: string;
  heading: string;
  whole: number;
  rows: readonly Row[];
}) {
  const hasCalls = rows.some(({ calls }) => calls !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard.
    <section className="rows amounts" aria-label={label} tabIndex={0}>
      <Table verticalSpacing={4} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{heading}</Table.Th>
            {hasCalls && (
              <Table.Th scope="col" className="number">
                Calls
              </Table.Th>
            )}
            <Table.Th scope="col" className="number">
              Cost
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.name}>
              <Table.Th scope="row" fw={400}>
                <Text size="sm">
                  <Name of={row.name} />
                </Text>
                <Details row={row} />
              </Table.Th>
              {hasCalls && <Table.Td className="number">{exact(row.calls ?? 0)}</Table.Td>}
              <Table.Td className="number">
                {money(Number(row.cost))}
                <Text size="xs" c="dimmed">
                  {share(Number(row.cost), whole)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
          {rows.length === 0 && (
            <Table.Tr>
              <Table.Td colSpan={2}>
                <Text size="sm" c="dimmed">
                  Nothing
                </Text>
              </Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Details({ row: { errors = 0, tokens_in, tokens_out } }: { row: Row }) {
  if (tokens_in === undefined || tokens_out === undefined) return null;
  return (
    <Box fz={12} c="dimmed">
      <Count of={tokens_in} /> in, <Count of={tokens_out} /> out
      {errors > 0 && `, ${exact(errors)} failed`}
    </Box>
  );
}
