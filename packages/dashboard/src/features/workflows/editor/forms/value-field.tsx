/** A value of the event or of the contact, and what it is compared with. */
import { OPERATORS, UNITS } from '../../../../../../../src/domain/conditions/tree.js';
import { useProject } from '../../../../api/project.js';
import { ChoiceField } from '../../../../ui/choice-field.js';
import { Comparison } from '../../../conditions/filter.js';
import type { FilterDraft } from '../../../conditions/model.js';
import { useEditorWords } from '../words.js';

interface FieldProps {
  value: string;
  isInvalid: boolean;
  onChange: (field: string) => void;
}

/** The fields of `GET /workflows/fields`: `contact.data.plan`, `event.total`. */
export function FieldChoice({ value, isInvalid, onChange }: FieldProps) {
  const words = useEditorWords();
  const { $api } = useProject();
  const { data } = $api.useQuery('get', '/workflows/fields');
  const itemsOf = (category: 'contact' | 'event') =>
    (data?.fields ?? [])
      .filter((field) => field.category === category)
      .map(({ field }) => ({ value: field, label: field }));
  const groups = [
    { value: words.eventFields, items: itemsOf('event') },
    { value: words.contactFields, items: itemsOf('contact') },
  ];
  return (
    <ChoiceField
      label={words.field}
      placeholder={words.chooseField}
      groups={groups.filter(({ items }) => items.length > 0)}
      value={value === '' ? null : value}
      onChange={onChange}
      isInvalid={isInvalid}
    />
  );
}

/**
 * Returns the field of segments with the same operators: values of the event and of the execution are compared like data
 * of a contact (contract, section 7).
 */
export function subjectOf(field: string): string {
  const rest = field.replace(/^(contact|event|workflow)\./, '');
  if (!field.startsWith('contact.')) return rest === field ? field : `data.${rest}`;
  return /^(email|subscribed|createdAt|updatedAt|data\..*)$/.test(rest) ? rest : `data.${rest}`;
}

interface ComparisonProps {
  field: string;
  filter: Record<string, unknown>;
  onChange: (filter: FilterDraft) => void;
}

export function SingleComparison({ field, filter, onChange }: ComparisonProps) {
  const words = useEditorWords();
  if (field === '') return null;
  const operator = OPERATORS.find((one) => one === filter.operator);
  const unit = UNITS.find((one) => one === filter.unit);
  const draft: FilterDraft = {
    field: subjectOf(field),
    ...(operator && { operator }),
    ...(filter.value !== undefined && { value: filter.value }),
    ...(unit && { unit }),
  };
  return (
    <div className="grid min-w-0 gap-2 sm:grid-cols-2">
      <Comparison filter={draft} name={words.comparison} onChange={onChange} />
    </div>
  );
}
