/** One request for a burst of messages. */
import { useCallback, useRef } from 'react';

const PAUSE_MS = 500;

/** Returns a function that does the work a moment after it is called, once for all calls until then. Keep `work` stable. */
export function useAfterBurst(work: () => void): () => void {
  const isPlanned = useRef(false);
  return useCallback(() => {
    if (isPlanned.current) return;
    isPlanned.current = true;
    setTimeout(() => {
      isPlanned.current = false;
      work();
    }, PAUSE_MS);
  }, [work]);
}
