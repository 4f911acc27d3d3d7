/** The domains of a project, kept up to date by the stream. */
import { useCallback } from 'react';
import type { Schemas, StreamMessage } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';

type Domain = Schemas['Domain'];

const listKey = (projectId: string) => ['get', '/domains/project/{projectId}', { params: { path: { projectId } } }];

export function useDomains() {
  const { $api, projectId } = useProject();
  return $api.useQuery('get', '/domains/project/{projectId}', { params: { path: { projectId } } });
}

/** Writes a domain into the cached list: a new one, or a new state of one. */
export function useStoreDomain(): (domain: Domain) => void {
  const { cache, projectId } = useProject();
  return useCallback(
    (domain) =>
      cache.setQueryData<Domain[]>(listKey(projectId), (known = []) =>
        known.some(({ id }) => id === domain.id)
          ? known.map((one) => (one.id === domain.id ? domain : one))
          : [domain, ...known],
      ),
    [cache, projectId],
  );
}

/** Follows the DNS checks of the project's domains while a page shows them. */
export function useLiveDomains(onChange?: (domain: Domain) => void): void {
  const store = useStoreDomain();
  useStream(
    'domains',
    useCallback(
      ({ data }: StreamMessage<'domains'>) => {
        store(data);
        onChange?.(data);
      },
      [store, onChange],
    ),
  );
}
