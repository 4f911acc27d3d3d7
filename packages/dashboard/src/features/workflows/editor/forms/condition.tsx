/** CONDITION: facts about the contact, one value, or one value with several branches. */
import { EMPTY_CONDITION, toDraft, type ConditionDraft, type FilterDraft } from '../../../conditions/model.js';
import { ConditionBuilder } from '../../../conditions/builder.js';
import { useFields } from '../../../conditions/fields.js';
import { usePreview } from '../../../conditions/preview.js';
import { SelectField } from '../../../../ui/field.js';
import { isMulti } from '../kinds.js';
import { useEditorWords } from '../words.js';
import { BranchesForm } from './branches.js';
import { textOf, type StepFormProps } from './form.js';
import { FieldChoice, SingleComparison } from './value-field.js';

type Kind = 'tree' | 'single' | 'multi';

function kindOf(config: Record<string, unknown>): Kind {
  if (isMulti(config)) return 'multi';
  return config.groups !== undefined || config.logic !== undefined ? 'tree' : 'single';
}

/** The config with which each kind begins. A field that was chosen stays. */
function beginAs(kind: Kind, config: Record<string, unknown>): Record<string, unknown> {
  const field = textOf(config.field);
  switch (kind) {
    case 'tree':
      return { ...EMPTY_CONDITION };
    case 'single':
      return { field, operator: 'equals' };
    case 'multi':
      return { mode: 'multi', field, branches: [{ id: 'branch1', name: '', operator: 'equals' }] };
  }
}

export function ConditionForm(props: StepFormProps) {
  const words = useEditorWords();
  const { step, onChange } = props;
  const kind = kindOf(step.config);
  return (
    <>
      <SelectField<Kind>
        label={words.conditionKind}
        name="conditionKind"
        value={kind}
        options={(['tree', 'single', 'multi'] as const).map((value) => ({ value, label: words.kinds[value] }))}
        onChange={(value) => value !== kind && onChange({ config: beginAs(value, step.config) }, null)}
      />
      {kind === 'tree' && <TreeForm {...props} />}
      {kind === 'single' && <SingleForm {...props} />}
      {kind === 'multi' && <BranchesForm {...props} />}
    </>
  );
}

/** The stored tree has the shape of a segment's condition. */
const treeOf = (config: Record<string, unknown>): ConditionDraft =>
  Array.isArray(config.groups) ? toDraft(config as unknown as Parameters<typeof toDraft>[0]) : EMPTY_CONDITION;

function TreeForm({ step: { config }, onChange, errors }: StepFormProps) {
  const fields = useFields();
  const tree = treeOf(config);
  const preview = usePreview(tree);
  const ofTree = Object.fromEntries(
    Object.entries(errors).map(([path, message]) => [path.replace(/^config\./, ''), message]),
  );
  return (
    <ConditionBuilder
      tree={tree}
      onChange={(next) => onChange({ config: { ...next } }, 'tree')}
      {...{ fields, preview }}
      errors={ofTree}
    />
  );
}

function SingleForm({ step: { config }, onChange, errors }: StepFormProps) {
  const field = textOf(config.field);
  const set = ({ operator, value, unit }: FilterDraft, topic: string | null): void =>
    onChange({ config: { field, operator, ...(value !== undefined && { value }), ...(unit && { unit }) } }, topic);
  const problem =
    errors['config.field'] ?? errors['config.operator'] ?? errors['config.value'] ?? errors['config.unit'];
  return (
    <div className="grid gap-2">
      <FieldChoice
        value={field}
        isInvalid={errors['config.field'] !== undefined}
        onChange={(next) => onChange({ config: { field: next, operator: 'equals' } }, null)}
      />
      <SingleComparison field={field} filter={config} onChange={(filter) => set(filter, 'comparison')} />
      {problem !== undefined && <p className="text-sm text-danger">{problem}</p>}
    </div>
  );
}
