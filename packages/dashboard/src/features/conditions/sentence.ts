/** A condition as a sentence: "plan is pro, and opened an email happened less than 30 days ago". */
import { operandOf, showValue, type ConditionDraft, type FilterDraft } from './model.js';
import type { ConditionWords } from './words.js';

/** Returns how a field is called. @param names of segments, by id */
export function nameOfField(field: string, words: ConditionWords, names: ReadonlyMap<string, string>): string {
  const isKnown = (name: string): name is keyof ConditionWords['fields'] => Object.hasOwn(words.fields, name);
  if (isKnown(field)) return words.fields[field];
  const dot = field.indexOf('.');
  const rest = field.slice(dot + 1);
  return field.startsWith('segment.') ? (names.get(rest) ?? rest) : rest;
}

function sayFilter(filter: FilterDraft, words: ConditionWords, names: ReadonlyMap<string, string>): string | null {
  const { field, operator, value, unit } = filter;
  if (field === undefined || !operator) return null;
  const start = `${nameOfField(field, words, names)} ${words.operators[operator]}`;
  switch (operandOf(filter)) {
    case 'none':
      return start;
    case 'boolean':
      return `${start} ${value === true ? words.yes : words.no}`;
    case 'ago':
      return `${start} ${showValue(value)} ${unit ? words.units[unit] : ''}`;
    case 'list':
      return `${start} ${Array.isArray(value) ? value.map(showValue).join(', ') : ''}`;
    default:
      return `${start} ${showValue(value)}`;
  }
}

/** Returns the sentence, or an empty text if no filter is complete. */
export function sayCondition(tree: ConditionDraft, words: ConditionWords, names: ReadonlyMap<string, string>): string {
  const groups = tree.groups
    .map(({ filters, conditions }) => {
      const parts = filters.map((filter) => sayFilter(filter, words, names)).filter((part) => part !== null);
      const nested = conditions ? sayCondition(conditions, words, names) : '';
      return [...parts, ...(nested === '' ? [] : [`(${nested})`])].join(` ${words.and} `);
    })
    .filter((part) => part !== '');
  const logic = tree.logic === 'AND' ? words.and : words.or;
  return groups.length > 1 ? groups.map((group) => `(${group})`).join(` ${logic} `) : (groups[0] ?? '');
}
