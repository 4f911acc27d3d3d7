/** Counts a condition while it is edited. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import { isEmpty, toCondition, type ConditionDraft } from './model.js';

/** The pause after the last key before a condition is counted. */
const PAUSE_MS = 300;

export interface Preview {
  /** Of the last condition that was counted. */
  counts: Schemas['ContactPreview'] | undefined;
  /** Whether the counts are those of an earlier condition. */
  isOld: boolean;
  error: unknown;
}

/** Returns the counts of a condition, and those of the last one while the new ones are on their way. */
export function usePreview(tree: ConditionDraft): Preview {
  const { api } = useProject();
  const [settled, setSettled] = useState(tree);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(tree), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [tree]);
  const condition = { ...toCondition(isEmpty(settled) ? { logic: 'AND', groups: [] } : settled) };
  const { data, error, isFetching } = useQuery({
    queryKey: ['post', '/contacts/preview', condition],
    // The signal aborts the request of an earlier condition.
    queryFn: async ({ signal }) => resultOf(await api.POST('/contacts/preview', { body: { condition }, signal })),
    placeholderData: keepPreviousData,
  });
  return { counts: data, isOld: isFetching || settled !== tree, error };
}
