/** A link to the Temporal workflows of something, for operators. Shown only if the installation names its Web UI. */
import { $api } from '../api/client.js';
import { queryClient } from '../api/query.js';
import { useWords } from '../words/words.js';
import { ExternalIcon } from './icons.js';

interface Props {
  /** The campaign, job, or domain. Each attempt to send a campaign has a workflow of its own. */
  resourceId: string;
  /** Tells the links of a list apart for screen readers. */
  name?: string;
}

export function TemporalLink({ resourceId, name }: Props) {
  const { common } = useWords();
  const { data: config } = $api.useQuery('get', '/config', undefined, { staleTime: Infinity }, queryClient);
  const address = config?.links.temporalWorkflows;
  if (!address) return null;
  return (
    <a
      href={`${address.replace(/\/$/, '')}?query=${encodeURIComponent(`ResourceId="${resourceId}"`)}`}
      target="_blank"
      rel="noreferrer"
      aria-label={name === undefined ? undefined : `${common.openTemporal}: ${name}`}
      className="inline-flex min-h-6 items-center gap-1 text-sm whitespace-nowrap text-accent underline"
    >
      {common.openTemporal}
      <ExternalIcon />
    </a>
  );
}
