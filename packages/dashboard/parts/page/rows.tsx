import { Box, Group, Stack, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import { Load } from './load.tsx';

export interface Column<Row> {
  label: string;
  render: (row: Row) => React.ReactNode;
  /** Right-aligned, with digits of one width. */
  isNumber?: boolean;
  /** Words of ours, which never break. */
  isShort?: boolean;
  /** True for the column that names the row. */
  isHeading?: boolean;
  /** Words of others: one line of this share of the table, in per cent, clipped at its end. */
  share?: number;
  /** On a narrow screen: in this line, or not at all; else in the second line. There is room for two or three each. */
  narrow?: 'first' | 'third' | 'hidden';
  /** On a narrow screen it goes without its label. */
  isNameless?: boolean;
  /** Words of others that are whole where there is room for them. */
  isFitting?: boolean;
  /** The value of the API's `sort` that this column orders by. */
  sort?: string;
}

/** The order of rows, and the way to another one. */
export interface Sorting {
  by: string;
  order: 'asc' | 'desc';
  onSort: (by: string) => void;
}

export interface RowsProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  sorting?: Sorting;
  /** Opens a row that is clicked anywhere but on a link or a button of its own. */
  onOpen?: (row: Row) => void;
  /** Content that replaces every column but the first of a row, or null. */
  instead?: (row: Row) => React.ReactNode;
}

/** True when the screen has no room for a table. */
export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 48em)', window.innerWidth <= 768, { getInitialValueInEffect: false });
}

/** The rows that a query answers, or `empty` where there are none. */
export function QueryRows<Row>({
  query,
  height,
  empty,
  ...rows
}: Omit<RowsProps<Row>, 'rows'> & {
  query: UseQueryResult<{ data: readonly Row[] }>;
  height?: number;
  empty?: React.ReactNode;
}) {
  return (
    <Load query={query} height={height}>
      {({ data }) => (data.length === 0 && empty ? empty : <Rows rows={data} {...rows} />)}
    </Load>
  );
}

/** Rows of things: a table, and two lines per row where the screen is narrow. */
export function Rows<Row>(props: RowsProps<Row>) {
  if (useIsNarrow()) return <NarrowRows {...props} />;
  const { label, rows, columns, keyOf, instead, sorting, onOpen } = props;
  return (
    <div className="rows">
      <Table highlightOnHover verticalSpacing={4} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Heading key={column.label} column={column} sorting={sorting} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} {...opening(row, onOpen)}>
              <Cells row={row} columns={columns} instead={instead?.(row) ?? null} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Heading<Row>({ column, sorting }: { column: Column<Row>; sorting: Sorting | undefined }) {
  const { label, isNumber, share, sort } = column;
  const isSorted = sort !== undefined && sorting?.by === sort;
  const direction = sorting?.order === 'asc' ? 'ascending' : 'descending';
  return (
    <Table.Th
      className={isNumber ? 'number' : ''}
      scope="col"
      w={share === undefined ? undefined : `${share}%`}
      {...(sorting && sort !== undefined
        ? { 'aria-sort': isSorted ? (direction as 'ascending' | 'descending') : ('none' as const) }
        : {})}
    >
      {sorting && sort !== undefined ? (
        <UnstyledButton className="sort" onClick={() => sorting.onSort(sort)}>
          {label}
          <span aria-hidden className={isSorted ? '' : 'sort-hint'}>
            {isSorted && sorting.order === 'asc' ? '▲' : '▼'}
          </span>
        </UnstyledButton>
      ) : (
        label || <VisuallyHidden>Actions</VisuallyHidden>
      )}
    </Table.Th>
  );
}

const OWN_TARGETS = 'a, button, input, select, label, summary';

/** A click on what is something of its own opens nothing, and neither does one that ends a selection of text. */
function opening<Row>(row: Row, onOpen: ((row: Row) => void) | undefined) {
  if (!onOpen) return {};
  return {
    className: 'opens',
    onClick: ({ target, ctrlKey, metaKey, shiftKey }: React.MouseEvent) => {
      const isOwn = target instanceof Element && target.closest(OWN_TARGETS) !== null;
      if (isOwn || ctrlKey || metaKey || shiftKey || window.getSelection()?.toString()) return;
      onOpen(row);
    },
  };
}

function Cells<Row>({
  row,
  columns,
  instead,
}: {
  row: Row;
  columns: readonly Column<Row>[];
  instead: React.ReactNode;
}) {
  const shown = instead === null ? columns : columns.slice(0, 1);
  return (
    <>
      {shown.map((column) =>
        column.isHeading ? (
          <Table.Th key={column.label} scope="row" className="wrap">
            {column.render(row)}
          </Table.Th>
        ) : (
          <Table.Td key={column.label} className={classOf(column)}>
            {column.render(row)}
          </Table.Td>
        ),
      )}
      {instead !== null && <Table.Td colSpan={columns.length - 1}>{instead}</Table.Td>}
    </>
  );
}

type Shape = Pick<Column<never>, 'isNumber' | 'isShort' | 'isFitting' | 'share'>;

function classOf({ isNumber, isShort, isFitting, share }: Shape): string {
  if (isNumber) return 'number';
  if (isFitting) return 'fitting';
  if (share !== undefined) return 'clipped';
  return isShort ? 'short' : 'cell';
}

function NarrowRows<Row>({ label, rows, columns, keyOf, instead, onOpen }: RowsProps<Row>) {
  return (
    <Stack gap={0} component="ul" aria-label={label} m={0} className="rows" style={{ listStyle: 'none' }}>
      {rows.map((row) => (
        <Box component="li" key={keyOf(row)} py="sm" {...opening(row, onOpen)}>
          <NarrowRow row={row} columns={columns} instead={instead?.(row) ?? null} />
        </Box>
      ))}
    </Stack>
  );
}

/** Always two lines, or three where a column asks for it: words of others are clipped, and buttons are at the end of the second. */
function NarrowRow<Row>({ row, columns, instead }: Parameters<typeof Cells<Row>>[0]) {
  const shown = instead === null ? columns : columns.slice(0, 1);
  const first = shown.filter(({ narrow }) => narrow === 'first');
  const second = shown.filter(({ narrow }) => narrow === undefined);
  const third = shown.filter(({ narrow }) => narrow === 'third');
  return (
    <>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        {first.map((column) => (
          <Box key={column.label} className={narrowClassOf(column)}>
            {column.render(row)}
          </Box>
        ))}
      </Group>
      <NamedParts row={row} columns={second}>
        {instead && <Box className="clip">{instead}</Box>}
      </NamedParts>
      {third.length > 0 && <NamedParts row={row} columns={third} />}
    </>
  );
}

/** A line of parts, each after the name of its column. */
function NamedParts<Row>({
  row,
  columns,
  children,
}: {
  row: Row;
  columns: readonly Column<Row>[];
  children?: React.ReactNode;
}) {
  return (
    <Group gap="md" fz={12} c="dimmed" wrap="nowrap">
      {columns.map((column) => (
        <Box key={column.label} className={narrowClassOf(column)}>
          {!column.isNameless && `${column.label} `}
          <Text span inherit c="var(--mantine-color-text)">
            {column.render(row)}
          </Text>
        </Box>
      ))}
      {children}
    </Group>
  );
}

/** A number, a word of ours or a button is shown whole. */
function narrowClassOf({ label, isNumber, isShort }: Shape & { label: string }): string {
  if (label === '') return 'whole at-end';
  if (isNumber) return 'number whole';
  return isShort ? 'short whole' : 'clip';
}
