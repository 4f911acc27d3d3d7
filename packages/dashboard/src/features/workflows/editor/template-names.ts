/** The templates that a step can send. */
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '../../../api/project.js';
import { resultOf } from '../../../api/query.js';

/** Templates that are read. Others are found by their id. */
const MAX_TEMPLATES = 100;

export function useTemplateNames(): ReadonlyMap<string, string> {
  const { api } = useProject();
  const { data } = useQuery({
    queryKey: ['get', '/templates', 'names'],
    queryFn: async () => resultOf(await api.GET('/templates', { params: { query: { pageSize: MAX_TEMPLATES } } })),
  });
  return useMemo(() => new Map((data?.data ?? []).map(({ id, name }) => [id, name])), [data]);
}
