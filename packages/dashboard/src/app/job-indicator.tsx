/** Shows in the header how far unfinished jobs are. */
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Schemas, StreamMessage } from '../../../client/src/index.js';
import { useProject } from '../api/project.js';
import { useStream } from '../api/stream.js';
import { useFormat } from '../words/format.js';
import { useWords } from '../words/words.js';

type Job = Schemas['Job'];

/** Jobs that began before that many others are not looked for. */
const MAX_JOBS = 20;

export function JobIndicator() {
  const { commands } = useWords();
  const { percent } = useFormat();
  const { $api, projectId } = useProject();
  const { data } = $api.useQuery('get', '/jobs', { params: { query: { limit: MAX_JOBS } } });
  const [live, setLive] = useState<ReadonlyMap<string, Job>>(new Map());
  useStream(
    'jobs',
    useCallback(({ data: job }: StreamMessage<'jobs'>) => setLive((before) => new Map(before).set(job.id, job)), []),
  );
  const jobs = [...new Map([...(data?.data ?? []).map((job): [string, Job] => [job.id, job]), ...live]).values()];
  const open = jobs.filter(({ endedAt }) => endedAt === null);
  if (open.length === 0) return null;
  const share = open.reduce((sum, { progress }) => sum + progress, 0) / open.length / 100;
  return (
    <Link
      to="/projects/$projectId/jobs"
      params={{ projectId }}
      className="inline-flex min-h-9 items-center gap-2 rounded-lg border border-line bg-accent-soft px-2.5 text-accent hover:underline"
    >
      <progress aria-hidden value={share} className="w-12 accent-accent max-sm:hidden" />
      <span>
        <span className="max-sm:sr-only">{commands.jobs(open.length)}: </span>
        {percent(share)}
      </span>
    </Link>
  );
}
