/** The fields of a segment. */
import type { FormEvent } from 'react';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { SelectField, SwitchField, TextField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { ErrorState } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { ConditionBuilder } from '../conditions/builder.js';
import { useFields } from '../conditions/fields.js';
import { isEmpty, type ConditionDraft } from '../conditions/model.js';
import { usePreview } from '../conditions/preview.js';
import { sayCondition } from '../conditions/sentence.js';
import { useConditionWords } from '../conditions/words.js';
import { useSegmentWords } from './words.js';

export interface SegmentDraft {
  name: string;
  description: string;
  type: 'DYNAMIC' | 'STATIC';
  trackMembership: boolean;
  condition: ConditionDraft;
}

interface Props {
  draft: SegmentDraft;
  onChange: (draft: SegmentDraft) => void;
  onSave: () => void;
  isBusy: boolean;
  error: unknown;
  /** The type can be chosen only for a new segment. */
  isNew?: boolean;
  segmentId?: string;
}

export function SegmentForm({ draft, onChange, onSave, isBusy, error, isNew = false, segmentId }: Props) {
  const words = useSegmentWords();
  const named = fieldErrors(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSave();
  };
  return (
    <form onSubmit={submit} className="grid min-w-0 gap-4">
      <Card>
        <div className="grid gap-4 md:grid-cols-2">
          <TextField
            label={words.name}
            name="name"
            required
            maxLength={100}
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
            error={named.name}
          />
          <TextField
            label={words.description}
            name="description"
            value={draft.description}
            onChange={({ target }) => onChange({ ...draft, description: target.value })}
            error={named.description}
          />
          {isNew && (
            <SelectField
              label={words.type}
              name="type"
              hint={words.typeAbout[draft.type]}
              value={draft.type}
              onChange={(type) => onChange({ ...draft, type })}
              options={(['DYNAMIC', 'STATIC'] as const).map((value) => ({ value, label: words.types[value] }))}
            />
          )}
          <SwitchField
            label={words.track}
            name="trackMembership"
            hint={words.trackHint}
            checked={draft.trackMembership}
            onChange={(trackMembership) => onChange({ ...draft, trackMembership })}
          />
        </div>
      </Card>
      {draft.type === 'DYNAMIC' && (
        <ConditionCard
          condition={draft.condition}
          onChange={(condition) => onChange({ ...draft, condition })}
          errors={named}
          {...(segmentId !== undefined && { segmentId })}
        />
      )}
      <FormProblem
        error={error}
        fields={Object.keys(named).filter((name) => /^(name|description|condition)/.test(name))}
      />
      <div>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {isNew ? words.create : words.save}
        </Button>
      </div>
    </form>
  );
}

interface ConditionCardProps {
  condition: ConditionDraft;
  onChange: (condition: ConditionDraft) => void;
  errors: Record<string, string>;
  segmentId?: string;
}

/** The condition, what it says, how many contacts match, and some of them. */
function ConditionCard({ condition, onChange, errors, segmentId }: ConditionCardProps) {
  const words = useSegmentWords();
  const conditionWords = useConditionWords();
  const format = useFormat();
  const fields = useFields(segmentId);
  const preview = usePreview(condition);
  const { counts, isOld, error } = preview;
  const ofCondition = Object.fromEntries(
    Object.entries(errors).map(([name, message]) => [name.replace(/^condition\./, ''), message]),
  );
  return (
    <Card title={words.condition}>
      <p className="text-muted">
        {isEmpty(condition) ? conditionWords.everyone : sayCondition(condition, conditionWords, fields.segmentNames)}
      </p>
      <ConditionBuilder tree={condition} onChange={onChange} fields={fields} preview={preview} errors={ofCondition} />
      <div role="status" className={`grid gap-1 ${isOld ? 'text-muted' : ''}`}>
        <strong className="text-lg">
          {counts ? conditionWords.total(format.number(counts.total)) : conditionWords.counting}
        </strong>
        {counts && counts.sample.length > 0 && (
          <span className="text-muted">
            {conditionWords.sample}: {counts.sample.map(({ email }) => email).join(', ')}
          </span>
        )}
      </div>
      {error !== null && error !== undefined && !isOld && <ErrorState error={error} />}
    </Card>
  );
}
