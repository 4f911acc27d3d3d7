/** What is wrong with a content, with a way to each place. */
import { Badge, type Tone } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/page.js';
import { translateMessage } from '../../words/api-messages.js';
import type { Problem } from './content.js';
import { useEditorWords } from './words.js';

const TONES: Record<Problem['level'], Tone> = { error: 'danger', warning: 'warning', info: 'neutral' };
const ORDER: Array<Problem['level']> = ['error', 'warning', 'info'];

interface Props {
  problems: readonly Problem[];
  onGoTo: (problem: Problem) => void;
  /** Whether the page has the place of a problem. */
  hasPlace: (problem: Problem) => boolean;
}

export function ProblemsPanel({ problems, onGoTo, hasPlace }: Props) {
  const words = useEditorWords().problems;
  const sorted = [...problems].sort((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
  return (
    <Card title={words.title}>
      <p role="status" className="text-muted">
        {problems.length === 0 ? words.none : words.count(problems.length)}
      </p>
      {sorted.length > 0 && (
        <ul className="grid gap-3">
          {sorted.map((problem) => (
            <li
              key={`${problem.code} ${problem.path} ${problem.line} ${problem.column} ${problem.message}`}
              className="flex flex-wrap items-start gap-2"
            >
              <Badge tone={TONES[problem.level]}>{words[problem.level]}</Badge>
              <span className="min-w-0 flex-1 basis-40 break-words">
                {translateMessage(problem.message)}
                {problem.line !== undefined && (
                  <span className="block text-sm text-muted">{words.place(problem.line, problem.column ?? 1)}</span>
                )}
              </span>
              {hasPlace(problem) && (
                <Button
                  onClick={() => onGoTo(problem)}
                  aria-label={`${words.goTo}: ${translateMessage(problem.message)}`}
                >
                  {words.goTo}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
