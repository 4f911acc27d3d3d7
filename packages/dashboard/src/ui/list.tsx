/** Lists of rows: their four states, and a table that renders only the rows in sight and reads further pages. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useWords } from '../words/words.js';
import { ErrorState, NoMatch, Skeleton } from './states.js';

const ROW_HEIGHT = 45;
/** Rows out of sight that are rendered. */
const OVERSCAN = 10;
const SKELETON_LINES = 8;

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers are at the end of their cell. */
  align?: 'end';
  /** Narrow screens do without it. */
  isSecondary?: boolean;
  /** Takes the width that the other columns leave, and cuts its text off there. At most one column of a table. */
  isElastic?: boolean;
}

/** The part of an infinite query that a list needs. */
export interface PagedQuery<Row> {
  data: { pages: Array<{ data: Row[] }> } | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
}

interface ListProps<Row> {
  /** The accessible name of the table. */
  label: string;
  query: PagedQuery<Row>;
  columns: ReadonlyArray<Column<Row>>;
  rowKey: (row: Row) => string;
  /** Opens a row. The first cell should hold a link or a button to the same place, for the keyboard. */
  onOpen?: (row: Row) => void;
  /** Whether filters are set. Without a row, the list then says that nothing matches. */
  isFiltered?: boolean;
  onClearFilters?: () => void;
  /** Shown when nothing exists yet: a `FirstRun`. */
  firstRun: ReactNode;
}

/** A cursor list of the API in all its states. */
export function List<Row>({ query, isFiltered = false, onClearFilters, firstRun, ...table }: ListProps<Row>) {
  const { data, error, refetch } = query;
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={SKELETON_LINES} />;
  const rows = data.pages.flatMap((page) => page.data);
  if (rows.length === 0)
    return isFiltered ? <NoMatch {...(onClearFilters && { onClear: onClearFilters })} /> : firstRun;
  return <Rows {...table} rows={rows} more={query} />;
}

interface RowsProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: ReadonlyArray<Column<Row>>;
  rowKey: (row: Row) => string;
  onOpen?: (row: Row) => void;
  more?: Omit<PagedQuery<Row>, 'data'>;
}

/** A table of any length. It scrolls with the page; columns that don't fit scroll sideways. */
export function Rows<Row>({ label, rows, columns, rowKey, onOpen, more }: RowsProps<Row>) {
  const { common } = useWords();
  const body = useRef<HTMLTableSectionElement>(null);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: usePageTop(body),
    // A row that is not shown while another part of the page loads keeps its height, or the page jumps.
    measureElement: (row) => row.getBoundingClientRect().height || ROW_HEIGHT,
    getItemKey: (index) => keyOf(rows, index, rowKey),
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isAtEnd = last >= rows.length - OVERSCAN;
  const hasMore = more !== undefined && more.hasNextPage && !more.isFetchingNextPage && !more.error;
  useEffect(() => {
    if (isAtEnd && hasMore) more.fetchNextPage();
  }, [isAtEnd, hasMore, more]);
  const before = (items[0]?.start ?? 0) - virtualizer.options.scrollMargin;
  const after = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? 0) - virtualizer.options.scrollMargin);
  return (
    <>
      <div
        className="overflow-x-auto rounded-xl border border-line bg-surface"
        // Scrolled sideways by keyboard.
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        <table
          className="w-full border-collapse"
          aria-label={label}
          aria-rowcount={more?.hasNextPage ? -1 : rows.length}
        >
          <thead>
            <tr className="border-b border-line text-sm text-muted">
              {columns.map((column) => (
                <th key={column.id} scope="col" className={`px-3 py-2 font-medium ${cellLook(column)}`}>
                  {column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            <Spacer height={before} columns={columns.length} />
            {items.map(({ index, key }) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <tr
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  onClick={onOpen && (({ target, currentTarget }) => isPlainArea(target, currentTarget) && onOpen(row))}
                  className={`border-b border-line last:border-b-0 ${onOpen ? 'cursor-pointer hover:bg-raised' : ''}`}
                >
                  {columns.map((column) => (
                    <td key={column.id} className={`truncate px-3 py-2.5 ${widthLook(column)} ${cellLook(column)}`}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
            <Spacer height={after} columns={columns.length} />
          </tbody>
        </table>
      </div>
      {more?.isFetchingNextPage && <p role="status">{common.loading}</p>}
      {more?.error !== undefined && more.error !== null && (
        <ErrorState error={more.error} onRetry={() => void more.fetchNextPage()} />
      )}
    </>
  );
}

/** Returns the distance of an element from the top of the page, also after something above it has grown. */
function usePageTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      const box = element.current?.getBoundingClientRect();
      if (box !== undefined && box.width > 0) setTop(Math.round(box.top + scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

function keyOf<Row>(rows: readonly Row[], index: number, rowKey: (row: Row) => string): string | number {
  const row = rows[index];
  return row === undefined ? index : rowKey(row);
}

const cellLook = ({ align, isSecondary = false }: { align?: 'end'; isSecondary?: boolean }): string =>
  `${align === 'end' ? 'text-end tabular-nums' : 'text-start'} ${isSecondary ? 'max-sm:hidden' : ''}`;

/** A maximum width of nothing lets a cell be narrower than its text. */
const widthLook = ({ isElastic = false }: { isElastic?: boolean }): string =>
  isElastic ? 'w-full max-w-0 min-w-40' : 'max-w-80';

/** Whether a click was in the row, and not on a control. React also reports clicks in menus and dialogs of the row. */
const isPlainArea = (target: EventTarget, row: Element): boolean =>
  target instanceof Element && row.contains(target) && target.closest('a, button, input, label, select') === null;

function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}
