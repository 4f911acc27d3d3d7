/** Says when the browser is offline, or when the server does not answer. Nothing else on the page changes. */
import { useEffect, useState } from 'react';
import { useIsLive } from '../api/stream.js';
import { Note } from '../ui/badge.js';
import { useWords } from '../words/words.js';

/** Restarts of a server take less. */
const PATIENCE_MS = 5000;

export function ConnectionBanner() {
  const { errors } = useWords();
  const isLive = useIsLive();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (isLive) return setLost(false);
    const timer = setTimeout(() => setLost(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  if (!isLost) return null;
  return <Note tone="warning">{errors.offline}</Note>;
}
