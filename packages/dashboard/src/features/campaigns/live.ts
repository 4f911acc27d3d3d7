/** The progress of campaigns, as the stream reports it. */
import { useCallback, useState } from 'react';
import type { StreamMessage } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import type { Progress } from './model.js';

/** What changes when the status of a campaign does. */
const AFFECTED = ['', '/{id}', '/{id}/stats', '/{id}/timeseries', '/{id}/recipients', '/{id}/failures', '/{id}/links'];

/** Returns what reads the figures of campaigns again. */
export function useRefresh(): () => Promise<void> {
  const { cache } = useProject();
  return useCallback(async () => {
    await Promise.all(AFFECTED.map(async (end) => cache.invalidateQueries({ queryKey: ['get', `/campaigns${end}`] })));
  }, [cache]);
}

/** Returns the last progress of each campaign that is being sent, by id. Reads all figures again at a change of status. */
export function useProgress(): ReadonlyMap<string, Progress> {
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  const refresh = useRefresh();
  useStream(
    'campaigns',
    useCallback(
      ({ data }: StreamMessage<'campaigns'>) => {
        setKnown((before) => {
          const last = before.get(data.id);
          const hasChanged = last?.status !== data.status || (last.pendingCount > 0 && data.pendingCount === 0);
          if (last && hasChanged) queueMicrotask(() => void refresh());
          return new Map(before).set(data.id, data);
        });
      },
      [refresh],
    ),
  );
  return known;
}
