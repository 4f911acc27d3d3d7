/** The table of all contacts of a view. Its scrollbar is true for a million of them, and it works by keyboard. */
import { useNavigate } from '@tanstack/react-router';
import {
  memo,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  type UIEvent,
} from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Badge } from '../../ui/badge.js';
import { useFormat } from '../../words/format.js';
import {
  contentHeight,
  isScaled,
  positionAt,
  ROW_HEIGHT,
  rowsInSight,
  rowsOfWheel,
  showing,
  topOf,
  within,
  type WheelTurn,
} from './scroll.js';
import { isChosen, toggle, type Selection } from './selection.js';
import { useContacts } from './pages.js';
import type { ContactView } from './view.js';
import { useContactWords } from './words.js';

type Contact = Schemas['Contact'];

/** Until the table has been measured. */
const DEFAULT_HEIGHT = 600;
const MAX_CELL = 200;
const NO_COLUMNS: string[] = [];
const START = { position: 0, top: 0 };

interface Props {
  view: ContactView;
  total: number;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

export function ContactTable({ view, total, selection, onSelect }: Props) {
  const words = useContactWords();
  const { projectId } = useProject();
  const navigate = useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  const [{ position, top }, setScrolled] = useState(START);
  // Several events can happen before the next render.
  const newest = useRef(START);
  const [height, setHeight] = useState(DEFAULT_HEIGHT);
  const [active, setActive] = useState(0);
  const { first, count, offset, inset } = rowsInSight(total, position, top, height);
  const { at } = useContacts(view, first, count);
  const columns = view.columns ?? NO_COLUMNS;

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = new ResizeObserver(() => setHeight(element.clientHeight - ROW_HEIGHT));
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  const show = (scrolled: typeof START): void => {
    newest.current = scrolled;
    setScrolled(scrolled);
  };
  const scrollTo = (target: number): void => {
    const element = frame.current;
    if (!element) return;
    const next = within(total, target, height);
    element.scrollTop = topOf(total, next, height);
    show({ position: next, top: element.scrollTop });
  };
  const onScroll = ({ currentTarget: { scrollTop } }: UIEvent<HTMLElement>): void => {
    // After scrollTo, the position is more exact than the pixels of the scrollbar.
    if (scrollTop !== newest.current.top) show({ position: positionAt(total, scrollTop, height), top: scrollTop });
  };
  // The scrollbar would move the rows of a very long list by more than the wheel says.
  useWheel(frame, isScaled(total), (turn) => scrollTo(newest.current.position + rowsOfWheel(turn, height)));
  const open = (contactId: string): void =>
    void navigate({ to: '/projects/$projectId/contacts/$contactId', params: { projectId, contactId } });
  const moveTo = (rank: number): void => {
    const target = Math.max(0, Math.min(total - 1, rank));
    setActive(target);
    scrollTo(showing(target, position, height));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.floor(height / ROW_HEIGHT) - 1;
    const moves: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: total - 1,
    };
    const target = moves[event.key];
    const contact = at(active);
    if (target !== undefined) moveTo(target);
    else if (event.key === 'Enter' && contact) open(contact.id);
    else if (event.key === ' ' && contact) onSelect(toggle(selection, contact.id));
    else return;
    event.preventDefault();
  };
  const onClick = ({ target }: MouseEvent): void => {
    const isControl = target instanceof HTMLInputElement;
    const row = target instanceof Element ? target.closest('[data-rank]') : null;
    const contact = row && !isControl ? at(Number(row.getAttribute('data-rank'))) : undefined;
    if (contact) open(contact.id);
  };
  const toggleAt = useCallback(
    (rank: number, id: string): void => {
      setActive(rank);
      onSelect(toggle(selection, id));
    },
    [selection, onSelect],
  );
  const template = `2.75rem minmax(12rem,2fr) 8rem 9rem ${columns.map(() => 'minmax(7rem,1fr)').join(' ')}`;
  // The same for all rows, so that their columns are aligned: the sum of the columns' least widths.
  const minWidth = `${31.75 + 7 * columns.length}rem`;
  const activeId = active >= first && active < first + count ? `contact-${active}` : undefined;
  return (
    <div
      ref={frame}
      role="grid"
      tabIndex={0}
      aria-label={words.title}
      aria-rowcount={total + 1}
      aria-multiselectable
      aria-activedescendant={activeId}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onScroll={onScroll}
      className="group relative h-[65vh] min-h-72 overflow-auto rounded-xl border border-line bg-surface"
    >
      <div
        role="row"
        aria-rowindex={1}
        className="sticky top-0 z-10 grid items-center border-b border-line bg-surface text-sm text-muted"
        style={{ gridTemplateColumns: template, height: ROW_HEIGHT, minWidth }}
      >
        {['', words.email, words.status, words.created, ...columns].map((name, index) => (
          <span key={name || index} role="columnheader" className="truncate px-2">
            {name === '' ? <span className="sr-only">{words.chosen}</span> : name}
          </span>
        ))}
      </div>
      <div role="presentation" style={{ height: contentHeight(total), position: 'relative', minWidth }}>
        <div
          role="rowgroup"
          className="will-change-transform"
          style={{ transform: `translateY(${offset}px)`, paddingTop: inset }}
        >
          {Array.from({ length: count }, (_, index) => {
            const rank = first + index;
            const contact = at(rank);
            return (
              <Row
                key={rank}
                rank={rank}
                contact={contact}
                template={template}
                columns={columns}
                isActive={rank === active}
                isSelected={contact !== undefined && isChosen(selection, contact.id)}
                onToggle={toggleAt}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Handles the wheel instead of the browser. React's own listeners cannot prevent what the browser does. */
function useWheel(frame: RefObject<HTMLElement | null>, isOn: boolean, scroll: (turn: WheelTurn) => void): void {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    // Ctrl and the wheel zoom; Shift and the wheel scroll the columns.
    if (event.ctrlKey || event.shiftKey || event.deltaY === 0) return;
    event.preventDefault();
    frame.current?.scrollBy({ left: event.deltaX });
    scroll(event);
  });
  useEffect(() => {
    const element = frame.current;
    if (!element || !isOn) return;
    const listener = (event: WheelEvent): void => onWheel(event);
    element.addEventListener('wheel', listener, { passive: false });
    return () => element.removeEventListener('wheel', listener);
  }, [frame, isOn]);
}

interface RowProps {
  rank: number;
  contact: Contact | undefined;
  template: string;
  columns: string[];
  isActive: boolean;
  isSelected: boolean;
  onToggle: (rank: number, id: string) => void;
}

/** While the table scrolls, the rows that stay in sight do not change. */
const Row = memo(function Row({ rank, contact, template, columns, isActive, isSelected, onToggle }: RowProps) {
  const words = useContactWords();
  const format = useFormat();
  return (
    <div
      role="row"
      id={`contact-${rank}`}
      data-rank={rank}
      aria-rowindex={rank + 2}
      aria-selected={isSelected}
      className={`grid cursor-pointer items-center border-b border-line hover:bg-raised ${isSelected ? 'bg-accent-soft' : ''} ${isActive ? 'group-focus-visible:outline-2 -outline-offset-2 outline-accent' : ''}`}
      style={{ gridTemplateColumns: template, height: ROW_HEIGHT }}
    >
      {contact ? (
        <>
          <span role="gridcell" className="grid h-full place-content-center">
            <input
              type="checkbox"
              tabIndex={-1}
              className="size-5 accent-accent"
              checked={isSelected}
              onChange={() => onToggle(rank, contact.id)}
              aria-label={words.choose(contact.email)}
            />
          </span>
          <span role="gridcell" title={contact.email} className="truncate px-2 font-medium">
            {contact.email}
          </span>
          <span role="gridcell" className="px-2">
            <StatusBadge contact={contact} />
          </span>
          <span role="gridcell" className="truncate px-2 text-muted">
            {format.date(contact.createdAt)}
          </span>
          {columns.map((key) => (
            <span key={key} role="gridcell" className="truncate px-2">
              {cellOf(contact.data[key])}
            </span>
          ))}
        </>
      ) : (
        <span role="gridcell" className="col-span-full px-4">
          <span className="block h-4 w-64 rounded bg-raised" />
        </span>
      )}
    </div>
  );
});

export function StatusBadge({ contact: { subscribed, snoozedUntil } }: { contact: Contact }) {
  const { statuses } = useContactWords();
  if (snoozedUntil !== null) return <Badge tone="warning">{statuses.snoozed}</Badge>;
  return subscribed ? <Badge tone="success">{statuses.subscribed}</Badge> : <Badge>{statuses.unsubscribed}</Badge>;
}

/** Returns a value of the contact's data as a text of a cell. */
export function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_CELL);
}
