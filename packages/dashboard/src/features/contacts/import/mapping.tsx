/** What the columns of a file become, and the options of the import. */
import { useState, type SubmitEvent } from 'react';
import { form } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { fieldErrors } from '../../../api/query.js';
import { Button } from '../../../ui/button.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { FormProblem, readForm } from '../../../ui/form.js';
import { Card } from '../../../ui/page.js';
import { DELIMITERS, type ColumnTarget, type ColumnType } from './csv.js';
import { draftOf, type Draft } from './page.js';
import { useImportWords } from './words.js';

interface Props {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onOtherFile: () => void;
  /** Called with the id of the test's or the import's job. */
  onStart: (jobId: string) => void;
}

const TARGETS = ['email', 'subscribed', 'timezone', 'data', 'none'] as const;
type Target = (typeof TARGETS)[number];
const TYPES = ['string', 'number', 'boolean', 'date'] as const satisfies ColumnType[];
/** Examples that are shown for a column. */
const EXAMPLES = 3;
/** The name of the button that tests the import. Enter in a field presses it, because it is the first one. */
const TEST = 'test';

export function Mapping({ draft, onChange, onOtherFile, onStart }: Props) {
  const words = useImportWords();
  const { $api } = useProject();
  const [onExisting, setOnExisting] = useState<'update' | 'skip'>('update');
  const [segmentId, setSegmentId] = useState('');
  const { data: segments } = $api.useQuery('get', '/segments');
  const start = $api.useMutation('post', '/contacts/import', { onSuccess: ({ jobId }) => onStart(jobId) });
  const hasEmail = draft.targets.filter(({ to }) => to === 'email').length === 1;
  // The mapping is by header, so columns of one header become the same.
  const isRepeated = ({ to }: ColumnTarget, column: number): boolean =>
    to !== null &&
    draft.targets.some(
      (other, before) => before < column && other.to === to && draft.headers[before] !== draft.headers[column],
    );
  const problemOf = (header: string, column: number): string | undefined => {
    const target = draft.targets[column] ?? { to: null };
    if (lacksName(target)) return words.needsName;
    if (isRepeated(target, column)) return words.repeated;
    return nameField(header) in refused ? words.unusableName : undefined;
  };
  const isReady = hasEmail && !draft.targets.some((target, column) => lacksName(target) || isRepeated(target, column));
  const refused = fieldErrors(start.error);
  const send = (event: SubmitEvent<HTMLFormElement>): void => {
    readForm(event);
    const isDryRun = event.nativeEvent.submitter?.getAttribute('name') === TEST;
    const mapping = Object.fromEntries(draft.headers.map((header, column) => [header, draft.targets[column]]));
    start.mutate({
      body: {
        file: draft.file,
        mapping: JSON.stringify(mapping),
        delimiter: draft.delimiter,
        dryRun: isDryRun ? 'true' : 'false',
        onExisting,
        ...(segmentId !== '' && { segmentId }),
      },
      bodySerializer: form,
    });
  };
  const setTarget = (column: number, target: ColumnTarget): void =>
    onChange({ ...draft, targets: draft.targets.map((one, at) => (at === column ? target : one)) });
  return (
    <form onSubmit={send} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Card
        title={`${words.map}: ${draft.file.name}`}
        takesFocus
        actions={<Button onClick={onOtherFile}>{words.otherFile}</Button>}
      >
        <p className="text-muted">{words.mapAbout}</p>
        <ul className="grid gap-3">
          {draft.headers.map((header, column) => (
            <ColumnEditor
              // Headers can repeat.
              key={`${column} ${header}`}
              header={header}
              samples={draft.samples.map((row) => row[column] ?? '')}
              target={draft.targets[column] ?? { to: null }}
              problem={problemOf(header, column)}
              onChange={(target) => setTarget(column, target)}
            />
          ))}
        </ul>
        {!hasEmail && (
          <p role="alert" className="text-danger">
            {words.needsEmail}
          </p>
        )}
      </Card>
      <Card title={words.options}>
        <div className="grid gap-4 md:grid-cols-3">
          <SelectField
            label={words.onExisting}
            name="onExisting"
            value={onExisting}
            onChange={setOnExisting}
            options={(['update', 'skip'] as const).map((value) => ({ value, label: words.existing[value] }))}
          />
          <SelectField
            label={words.segment}
            name="segmentId"
            value={segmentId}
            onChange={setSegmentId}
            options={[
              { value: '', label: words.noSegment },
              ...(segments ?? [])
                .filter(({ type }) => type === 'STATIC')
                .map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <SelectField
            label={words.delimiter}
            name="delimiter"
            value={draft.delimiter}
            onChange={(delimiter) => onChange(draftOf(draft.file, draft.head, delimiter))}
            options={DELIMITERS.map((value) => ({ value, label: words.delimiters[value] }))}
          />
        </div>
        <FormProblem error={start.error} fields={draft.headers.map(nameField)} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" name={TEST} isBusy={start.isPending} disabled={!isReady}>
            {words.test}
          </Button>
          <Button type="submit" look="primary" isBusy={start.isPending} disabled={!isReady}>
            {words.run}
          </Button>
        </div>
      </Card>
    </form>
  );
}

interface ColumnProps {
  header: string;
  samples: string[];
  target: ColumnTarget;
  problem: string | undefined;
  onChange: (target: ColumnTarget) => void;
}

/** The name of a column's target in the errors of the server. */
const nameField = (header: string): string => `mapping.${header}.to`;

const lacksName = ({ to }: ColumnTarget): boolean => to === 'data.';

const kindOf = ({ to }: ColumnTarget): Target => {
  if (to === null) return 'none';
  return TARGETS.find((one) => one === to) ?? 'data';
};

function ColumnEditor({ header, samples, target, problem, onChange }: ColumnProps) {
  const words = useImportWords();
  const kind = kindOf(target);
  const choose = (chosen: Target): void => {
    if (chosen === 'none') onChange({ to: null });
    else if (chosen === 'data') onChange({ to: `data.${header.replaceAll('.', '_')}`, type: target.type ?? 'string' });
    else onChange({ to: chosen });
  };
  const examples = samples.filter((sample) => sample !== '').slice(0, EXAMPLES);
  return (
    <li className="grid items-start gap-3 border-t border-line pt-3 md:grid-cols-[minmax(0,1fr)_12rem_12rem_9rem]">
      <div className="min-w-0">
        <strong className="break-words">{header}</strong>
        <div className="truncate text-sm text-muted">{examples.join(' · ')}</div>
      </div>
      <SelectField
        label={`${words.target}: ${header}`}
        name="target"
        isLabelHidden
        error={kind === 'data' ? undefined : problem}
        value={kind}
        onChange={choose}
        options={TARGETS.map((value) => ({ value, label: words.targets[value] }))}
      />
      {kind === 'data' && (
        <>
          <TextField
            label={`${words.fieldName}: ${header}`}
            name="field"
            isLabelHidden
            value={target.to?.slice('data.'.length) ?? ''}
            error={problem}
            onChange={({ target: input }) => onChange({ ...target, to: `data.${input.value}` })}
          />
          <SelectField
            label={`${words.type}: ${header}`}
            name="type"
            isLabelHidden
            value={target.type ?? 'string'}
            onChange={(type) => onChange({ ...target, type })}
            options={TYPES.map((value) => ({ value, label: words.types[value] }))}
          />
        </>
      )}
    </li>
  );
}
