/** The start page of a project: its first steps, and its figures. */
import { useProject } from '../../api/project.js';
import { Page } from '../../ui/page.js';
import { Analytics } from './analytics.js';
import { FirstSteps } from './first-steps.js';
import { useHomeWords } from './words.js';

export function HomePage() {
  const words = useHomeWords();
  const { $api, projectId } = useProject();
  const { isPending } = $api.useQuery('get', '/projects/{id}/setup-state', { params: { path: { id: projectId } } });
  return (
    <Page title={words.title}>
      <FirstSteps />
      {/* It loads at the same time, and appears where it stays. */}
      <div hidden={isPending} className="contents">
        <Analytics />
      </div>
    </Page>
  );
}
