/** The start page of a project: its first steps, and its figures. */
import { Page } from '../../ui/page.js';
import { Analytics } from './analytics.js';
import { FirstSteps } from './first-steps.js';
import { useHomeWords } from './words.js';

export function HomePage() {
  const words = useHomeWords();
  return (
    <Page title={words.title}>
      <FirstSteps />
      <Analytics />
    </Page>
  );
}
