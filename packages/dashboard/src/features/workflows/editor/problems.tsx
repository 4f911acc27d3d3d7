/** What is wrong with the graph. A click leads to the step. */
import type { Schemas } from '../../../../../client/src/index.js';
import { Badge } from '../../../ui/badge.js';
import { Card } from '../../../ui/page.js';
import { nameOfStep } from '../../graph/about.js';
import { useGraphWords } from '../../graph/words.js';
import { stepOf } from './graph.js';
import type { Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

const TONES = { error: 'danger', warning: 'warning', info: 'neutral' } as const;

export function Problems({ editor }: { editor: Editor }) {
  const words = useEditorWords();
  const { problems } = editor;
  return (
    <Card title={words.problems}>
      <p role="status" className={problems.length === 0 ? 'text-muted' : 'sr-only'}>
        {problems.length === 0 ? words.noProblems : words.problemCount(problems.length)}
      </p>
      {problems.length > 0 && (
        <ul className="grid gap-2">
          {problems.map((problem) => (
            <li key={`${problem.path ?? ''} ${problem.code} ${problem.message}`} className="grid gap-1">
              <Problem editor={editor} problem={problem} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Problem({ editor, problem }: { editor: Editor; problem: Schemas['WorkflowProblem'] }) {
  const words = useEditorWords();
  const graphWords = useGraphWords();
  const key = editor.stepOfProblem(problem);
  const step = key === undefined ? undefined : stepOf(editor.graph, key);
  const text = (
    <>
      <Badge tone={TONES[problem.level]}>{words.levels[problem.level]}</Badge>{' '}
      {step && <strong>{nameOfStep(step, graphWords)}: </strong>}
      {problem.message}
    </>
  );
  if (!step) return <span>{text}</span>;
  return (
    <button
      type="button"
      className="min-h-6 cursor-pointer rounded text-start underline decoration-dotted underline-offset-4 hover:bg-raised"
      onClick={() => editor.jumpTo(step.key)}
    >
      {text}
    </button>
  );
}
