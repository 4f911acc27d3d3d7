/** The progress of campaigns, as the stream reports it. */
import { useCallback, useState } from 'react';
import type { StreamMessage } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import type { Progress } from './model.js';

/** What changes when the status of a campaign does. */
const AFFECTED = [
  '',
  '/{id}',
  '/{id}/stats',
  '/{id}/timeseries',
  '/{id}/recipients',
  '/{id}/failures',
  '/{id}/links',
  '/{id}/waves',
];

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
          // A short run is over before the stream has reported it as SENDING, so the status alone does not show it.
          const hasFigures = last?.status === data.status && last.sentCount === data.sentCount;
          const isSame = hasFigures && last.failedCount === data.failedCount && last.pendingCount === data.pendingCount;
          const isNew = last === undefined || last.status !== data.status;
          if (!isSame && (isNew || data.status !== 'SENDING')) queueMicrotask(() => void refresh());
          return new Map(before).set(data.id, data);
        });
      },
      [refresh],
    ),
  );
  return known;
}
