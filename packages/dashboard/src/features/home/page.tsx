/** The start page of a project. */
import { getRouteApi } from '@tanstack/react-router';
import { $api } from '../../api/client.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useWords } from '../../words/words.js';

const projectRoute = getRouteApi('/signed-in/projects/$projectId');

const STEPS = ['hasVerifiedDomain', 'contactCount', 'hasEnabledWorkflow', 'lastCampaignSentAt'] as const;

export function HomePage() {
  const { home } = useWords();
  const { projectId } = projectRoute.useParams();
  const { data, error, refetch } = $api.useQuery('get', '/projects/{id}/setup-state', {
    params: { path: { id: projectId } },
  });
  return (
    <>
      <h1 className="text-2xl font-semibold">{home.title}</h1>
      <section aria-labelledby="first-steps" className="grid gap-3 rounded-xl border border-line bg-surface p-5">
        <h2 id="first-steps" className="text-lg font-semibold">
          {home.start}
        </h2>
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={STEPS.length} />}
        {data && (
          <ol className="grid gap-2">
            {STEPS.map((step) => (
              <li key={step} className="flex flex-wrap items-center gap-3">
                <span
                  className={`min-w-20 rounded px-2 text-center text-sm ${data[step] ? 'bg-success-soft text-success' : 'bg-raised text-muted'}`}
                >
                  {data[step] ? home.done : home.open}
                </span>
                {home.steps[step]}
              </li>
            ))}
          </ol>
        )}
      </section>
    </>
  );
}
