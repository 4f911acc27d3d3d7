/** Where a template is used. */
import type { Schemas } from '../../../../client/src/index.js';
import { Card, Facts } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { useTemplateWords } from './words.js';

interface Props {
  query: { data: Schemas['TemplateUsage'] | undefined; error: unknown; refetch: () => unknown };
}

export function Usage({ query: { data, error, refetch } }: Props) {
  const words = useTemplateWords().usage;
  const format = useFormat();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  const list = (entries: Array<{ id: string; label: string }>, none: string) =>
    entries.length === 0 ? (
      <span className="text-muted">{none}</span>
    ) : (
      <ul className="grid gap-1">
        {entries.map(({ id, label }) => (
          <li key={id}>{label}</li>
        ))}
      </ul>
    );
  return (
    <Card>
      <Facts
        facts={[
          [words.emails, format.number(data.emailsSent)],
          [
            words.steps,
            list(
              data.workflowSteps.map(({ id, name, workflowName }) => ({ id, label: words.step(name, workflowName) })),
              words.noSteps,
            ),
          ],
          [
            words.campaigns,
            list(
              data.campaigns.map(({ id, name }) => ({ id, label: name })),
              words.noCampaigns,
            ),
          ],
        ]}
      />
    </Card>
  );
}
