/** The start page of a project. */
import { useProject } from '../../api/project.js';
import { Badge } from '../../ui/badge.js';
import { Card, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useWords } from '../../words/words.js';

const STEPS = ['hasVerifiedDomain', 'contactCount', 'hasEnabledWorkflow', 'lastCampaignSentAt'] as const;

export function HomePage() {
  const { home } = useWords();
  const { $api, projectId } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/projects/{id}/setup-state', {
    params: { path: { id: projectId } },
  });
  return (
    <Page title={home.title}>
      <Card title={home.start}>
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={STEPS.length} />}
        {data && (
          <ol className="grid gap-2">
            {STEPS.map((step) => (
              <li key={step} className="flex flex-wrap items-center gap-3">
                <Badge tone={data[step] ? 'success' : 'neutral'}>{data[step] ? home.done : home.open}</Badge>
                {home.steps[step]}
              </li>
            ))}
          </ol>
        )}
      </Card>
    </Page>
  );
}
