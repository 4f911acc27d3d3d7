/** The contacts of a view by rank: pages are read when they come into sight, and requests of pages out of sight end. */
import { useQueries, useQuery, keepPreviousData } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import { queryOf, type ContactView } from './view.js';

type Contact = Schemas['Contact'];

const PAGE_SIZE = 100;
/** The total of a large project is counted in the background; it is asked for again after this time. */
const COUNT_DELAY_MS = 700;

export const CONTACTS_KEY = ['post', '/contacts/query'] as const;

export interface RankedContacts {
  /** Null until it is known. */
  total: number | null;
  /** The contact of a rank; undefined while it is read. */
  at: (rank: number) => Contact | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => void;
}

/** @param first the first rank in sight @param count the number of ranks in sight */
export function useContacts(view: ContactView, first: number, count: number): RankedContacts {
  const { api } = useProject();
  const query = useMemo(() => queryOf(view), [view]);
  const read = (position: number) => ({
    queryKey: [...CONTACTS_KEY, query, position],
    queryFn: async ({ signal }: { signal: AbortSignal }) =>
      resultOf(await api.POST('/contacts/query', { body: { ...query, position, limit: PAGE_SIZE }, signal })),
  });
  const start = useQuery({
    ...read(0),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.total === null ? COUNT_DELAY_MS : false),
  });
  const from = Math.floor(first / PAGE_SIZE);
  const until = Math.floor((first + Math.max(count, 1) - 1) / PAGE_SIZE);
  const numbers = Array.from({ length: until - from + 1 }, (_, index) => from + index).filter((page) => page > 0);
  const pages = useQueries({ queries: numbers.map((page) => read(page * PAGE_SIZE)) });
  const known = new Map(numbers.map((page, index) => [page, pages[index]?.data?.data]));
  known.set(0, start.data?.data);
  return {
    total: start.data?.total ?? null,
    at: (rank) => known.get(Math.floor(rank / PAGE_SIZE))?.[rank % PAGE_SIZE],
    error: start.error ?? pages.find(({ error }) => error)?.error ?? null,
    isPending: start.isPending,
    refetch: () => void start.refetch(),
  };
}
