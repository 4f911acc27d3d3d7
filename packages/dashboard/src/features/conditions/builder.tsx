/** An editor of conditions: groups of filters, with the count of each filter while typing. */
import { memo, useId, type ReactNode } from 'react';
import { Button } from '../../ui/button.js';
import { CloseIcon, PlusIcon } from '../../ui/icons.js';
import { SelectField } from '../../ui/field.js';
import { focusAdded } from '../../ui/focus-added.js';
import { useFormat } from '../../words/format.js';
import { FilterEditor } from './filter.js';
import type { Fields } from './fields.js';
import {
  changeGroup,
  EMPTY_CONDITION,
  filterPath,
  nestedPath,
  type ConditionDraft,
  type FilterDraft,
  type GroupDraft,
} from './model.js';
import type { Preview } from './preview.js';
import { useConditionWords } from './words.js';

interface Props {
  tree: ConditionDraft;
  onChange: (tree: ConditionDraft) => void;
  fields: Fields;
  preview: Preview;
  /** Errors of the API by path, such as `groups.0.filters.1.value`. */
  errors?: Record<string, string>;
  /** The start of the paths of this tree. */
  base?: string;
}

export function ConditionBuilder({ tree, onChange, fields, preview, errors = {}, base = '' }: Props) {
  const words = useConditionWords();
  const addGroup = (): void => onChange({ ...tree, groups: [...tree.groups, { filters: [{}] }] });
  return (
    <div className="grid min-w-0 gap-3">
      {tree.groups.length > 1 && (
        <div className="max-w-sm">
          <SelectField
            label={words.logic}
            name={`${base}logic`}
            isLabelHidden
            value={tree.logic}
            onChange={(logic) => onChange({ ...tree, logic })}
            options={[
              { value: 'AND', label: words.allOf },
              { value: 'OR', label: words.anyOf },
            ]}
          />
        </div>
      )}
      {tree.groups.map((group, index) => (
        // Filters and groups have no ids; they are edited in place.
        <GroupEditor
          key={index}
          group={group}
          number={index + 1}
          onChange={(change) => onChange(changeGroup(tree, index, change))}
          pathOf={(filter) => filterPath(base, index, filter)}
          {...{ fields, preview, errors }}
        >
          {group.conditions && (
            <div className="grid gap-2 border-s-2 border-line ps-3">
              <ConditionBuilder
                tree={group.conditions}
                onChange={(conditions) =>
                  onChange(changeGroup(tree, index, (one) => ({ ...one, conditions: orNull(conditions) })))
                }
                base={nestedPath(base, index)}
                {...{ fields, preview, errors }}
              />
              <Button
                look="quiet"
                className="justify-self-start"
                onClick={() => onChange(changeGroup(tree, index, (one) => ({ ...one, conditions: null })))}
              >
                <CloseIcon />
                {words.removeNested}
              </Button>
            </div>
          )}
        </GroupEditor>
      ))}
      <Button
        className="justify-self-start"
        onClick={(event) => {
          focusAdded(event, 'div');
          addGroup();
        }}
      >
        <PlusIcon />
        {words.addGroup}
      </Button>
    </div>
  );
}

const orNull = (tree: ConditionDraft): ConditionDraft | null => (tree.groups.length === 0 ? null : tree);

interface GroupProps {
  group: GroupDraft;
  number: number;
  onChange: (change: (group: GroupDraft) => GroupDraft) => void;
  pathOf: (filter: number) => string;
  fields: Fields;
  preview: Preview;
  errors: Record<string, string>;
  /** The nested tree. */
  children: ReactNode;
}

function GroupEditor({ group, number, onChange, pathOf, fields, preview, errors, children }: GroupProps) {
  const words = useConditionWords();
  const id = useId();
  const setFilter = (index: number, filter: FilterDraft | null): void =>
    onChange((one) => ({
      ...one,
      filters: one.filters.flatMap((known, at) => (at === index ? (filter ? [filter] : []) : [known])),
    }));
  return (
    <fieldset aria-labelledby={id} className="grid min-w-0 gap-3 rounded-xl border border-line bg-surface p-3">
      <div id={id} className="text-sm text-muted">
        {words.group(number)}
      </div>
      {group.filters.map((filter, index) => (
        <FilterRow
          key={index}
          filter={filter}
          number={index + 1}
          path={pathOf(index)}
          onChange={(changed) => setFilter(index, changed)}
          {...{ fields, preview, errors }}
        />
      ))}
      {children}
      <div className="flex flex-wrap gap-2">
        <Button
          look="quiet"
          onClick={(event) => {
            focusAdded(event, 'fieldset');
            onChange((one) => ({ ...one, filters: [...one.filters, {}] }));
          }}
        >
          <PlusIcon />
          {words.addFilter}
        </Button>
        {!group.conditions && (
          <Button
            look="quiet"
            onClick={(event) => {
              focusAdded(event, 'fieldset');
              onChange((one) => ({ ...one, conditions: EMPTY_CONDITION }));
            }}
          >
            <PlusIcon />
            {words.addNested}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface FilterRowProps {
  filter: FilterDraft;
  number: number;
  path: string;
  onChange: (filter: FilterDraft | null) => void;
  fields: Fields;
  preview: Preview;
  errors: Record<string, string>;
}

const FilterRow = memo(function FilterRow({ filter, number, path, onChange, fields, preview, errors }: FilterRowProps) {
  const words = useConditionWords();
  const error = Object.entries(errors).find(([name]) => name === path || name.startsWith(`${path}.`))?.[1];
  return (
    <div className="grid gap-1">
      <div className="flex min-w-0 items-start gap-2">
        <FilterEditor
          filter={filter}
          number={number}
          onChange={onChange}
          fields={fields}
          isInvalid={error !== undefined}
        />
        <Button
          look="quiet"
          onClick={() => onChange(null)}
          aria-label={`${words.removeFilter}: ${words.filter(number)}`}
        >
          <CloseIcon />
        </Button>
      </div>
      {error !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
      <FilterCount path={path} preview={preview} />
    </div>
  );
});

/** How many contacts match one filter alone. */
function FilterCount({ path, preview: { counts, isOld } }: { path: string; preview: Preview }) {
  const words = useConditionWords();
  const format = useFormat();
  const found = counts?.filters.find((one) => one.path === path);
  const isIncomplete = counts?.incomplete.includes(path) ?? false;
  if (!found && !isIncomplete) return null;
  return (
    <span className={`text-sm ${isOld ? 'text-muted' : ''}`}>
      {isIncomplete || !found ? words.incomplete : words.matches(format.number(found.total))}
    </span>
  );
}
