/** Changes of the chosen contacts, as a job. */
import { useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Menu } from '../../ui/menu.js';
import { DownIcon } from '../../ui/icons.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { readValue } from '../conditions/model.js';
import { countChosen, EVERYTHING, NOTHING, type Selection } from './selection.js';
import { queryOf, type ContactView } from './view.js';
import { useContactWords } from './words.js';

type Operation = Schemas['BulkChangeInput']['operation'];

const OPERATIONS: Operation[] = [
  'subscribe',
  'unsubscribe',
  'addToSegment',
  'removeFromSegment',
  'set',
  'suppress',
  'unsuppress',
  'delete',
];
/** From this many contacts on, the user types the number. */
const MUST_TYPE = 10_000;

interface Props {
  view: ContactView;
  total: number;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

export function BulkBar({ view, total, selection, onSelect }: Props) {
  const words = useContactWords();
  const { common } = useWords();
  const format = useFormat();
  const [operation, setOperation] = useState<Operation | null>(null);
  const count = countChosen(selection, total);
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-2">
      <span role="status" className="text-muted">
        {words.chosenCount(format.number(count))}
      </span>
      {!selection.isAll && (
        <Button look="quiet" onClick={() => onSelect(EVERYTHING)}>
          {words.chooseAll(format.number(total))}
        </Button>
      )}
      {count > 0 && (
        <>
          <Button look="quiet" onClick={() => onSelect(NOTHING)}>
            {words.clearChoice}
          </Button>
          <Menu
            actions={OPERATIONS.map((one) => ({
              label: words.bulk[one],
              onSelect: () => setOperation(one),
              isDanger: one === 'delete',
            }))}
          >
            {common.more}
            <DownIcon />
          </Menu>
        </>
      )}
      {operation && (
        <BulkQuestion
          key={operation}
          operation={operation}
          count={count}
          contacts={contactsOf(view, selection)}
          onClose={() => setOperation(null)}
          onDone={() => {
            setOperation(null);
            onSelect(NOTHING);
          }}
        />
      )}
    </div>
  );
}

type ChosenContacts = Pick<Schemas['BulkChangeInput'], 'contactIds' | 'query' | 'except'>;

function contactsOf(view: ContactView, { isAll, ids }: Selection): ChosenContacts {
  if (!isAll) return { contactIds: [...ids] };
  return { query: queryOf(view), except: [...ids] };
}

interface QuestionProps {
  operation: Operation;
  count: number;
  contacts: ChosenContacts;
  onClose: () => void;
  onDone: () => void;
}

function BulkQuestion({ operation, count, contacts, onClose, onDone }: QuestionProps) {
  const words = useContactWords();
  const format = useFormat();
  const { $api } = useProject();
  const [segmentId, setSegmentId] = useState('');
  const [field, setField] = useState('');
  const [value, setValue] = useState('');
  const needsSegment = operation === 'addToSegment' || operation === 'removeFromSegment';
  const { data: segments } = $api.useQuery('get', '/segments', {}, { enabled: needsSegment });
  const fixed = (segments ?? []).filter(({ type }) => type === 'STATIC');
  const target = segmentId || (fixed[0]?.id ?? '');
  const change = $api.useMutation('post', '/contacts/bulk', {
    onSuccess() {
      notify(words.begun);
      onDone();
    },
  });
  const name = words.bulk[operation];
  return (
    <Question
      title={words.apply(name, format.number(count))}
      about={
        <>
          <p>{words.bulkAbout[operation]}</p>
          {needsSegment && segments && fixed.length === 0 && <p>{words.noSegments}</p>}
          {needsSegment && fixed.length > 0 && (
            <SelectField
              label={words.targetSegment}
              name="segmentId"
              value={target}
              onChange={setSegmentId}
              options={fixed.map(({ id, name: label }) => ({ value: id, label }))}
            />
          )}
          {operation === 'set' && (
            <>
              <TextField
                label={words.field}
                name="field"
                required
                value={field}
                onChange={({ target: input }) => setField(input.value)}
              />
              <TextField
                label={words.value}
                name="value"
                hint={words.fieldHint}
                value={value}
                onChange={({ target: input }) => setValue(input.value)}
              />
            </>
          )}
        </>
      }
      action={name}
      isDanger={operation === 'delete' || operation === 'suppress' || operation === 'unsubscribe'}
      {...(count >= MUST_TYPE && { confirmation: String(count) })}
      isOpen
      isBusy={change.isPending}
      error={change.error}
      onClose={onClose}
      onConfirm={() =>
        change.mutate({
          body: {
            operation,
            ...contacts,
            ...(needsSegment && { segmentId: target }),
            ...(operation === 'set' && { data: { [field]: readValue(value) } }),
          },
        })
      }
    />
  );
}
