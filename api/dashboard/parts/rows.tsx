import { Box, Group, Stack, Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';

export interface Column<Row> {
  label: string;
  render: (row: Row) => React.ReactNode;
  /** Right-aligned, with digits of one width. */
  isNumber?: boolean;
  /** Words of ours, which never break. */
  isShort?: boolean;
  /** Words of others: one line of this share of the table, in per cent, clipped at its end. */
  share?: number;
  /** On a narrow screen: in the first line, or not at all; else in the second line. */
  narrow?: 'first' | 'hidden';
}

/** Rows of things: a table, and two lines per row where the screen is narrow. */
export function Rows<Row>({
  label,
  rows,
  columns,
  keyOf,
}: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}) {
  const isNarrow = useMediaQuery('(max-width: 48em)', window.innerWidth <= 768, {
    getInitialValueInEffect: false,
  });
  if (isNarrow) return <NarrowRows label={label} rows={rows} columns={columns} keyOf={keyOf} />;
  return (
    <div className="rows">
      <Table highlightOnHover verticalSpacing={4} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th
                key={column.label}
                className={column.isNumber ? 'number' : ''}
                scope="col"
                w={column.share === undefined ? undefined : `${column.share}%`}
              >
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td key={column.label} className={classOf(column)}>
                  {column.render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type Look = Pick<Column<never>, 'isNumber' | 'isShort' | 'share'>;

function classOf({ isNumber, isShort, share }: Look): string {
  if (isNumber) return 'number';
  if (share !== undefined) return 'clipped';
  return isShort ? 'short' : 'cell';
}

function NarrowRows<Row>({ label, rows, columns, keyOf }: Parameters<typeof Rows<Row>>[0]) {
  const first = columns.filter(({ narrow }) => narrow === 'first');
  const second = columns.filter(({ narrow }) => narrow === undefined);
  return (
    <Stack gap={0} component="ul" aria-label={label} m={0} className="rows" style={{ listStyle: 'none' }}>
      {rows.map((row) => (
        <Box component="li" key={keyOf(row)} py="sm">
          <Group justify="space-between" gap="sm" wrap="nowrap">
            {first.map((column) => (
              <Box key={column.label} className={column.isNumber ? 'number' : 'clip'}>
                {column.render(row)}
              </Box>
            ))}
          </Group>
          <Group gap="xs" fz={12} c="dimmed" className="wrap">
            {second.map((column) => (
              <Group key={column.label} gap={4} wrap="nowrap" maw="100%">
                <span className="short">{column.label}</span>
                <Box c="var(--mantine-color-text)" className="wrap" mr="sm">
                  {column.render(row)}
                </Box>
              </Group>
            ))}
          </Group>
        </Box>
      ))}
    </Stack>
  );
}
