/** The filters of the list of contacts, its order and columns, and saved views. */
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { CheckboxField, SelectField, TextField } from '../../ui/field.js';
import { CloseIcon } from '../../ui/icons.js';
import { SearchField } from '../../ui/search-field.js';
import { ConditionBuilder } from '../conditions/builder.js';
import { useFields } from '../conditions/fields.js';
import { EMPTY_CONDITION, type ConditionDraft } from '../conditions/model.js';
import { usePreview } from '../conditions/preview.js';
import { readContactView, SORTS, STATUSES, type ContactView } from './view.js';
import { useContactWords } from './words.js';

interface Props {
  view: ContactView;
  onChange: (change: ContactView) => void;
}

export function ContactFilters({ view, onChange }: Props) {
  const words = useContactWords();
  const { $api } = useProject();
  const { data: segments } = $api.useQuery('get', '/segments');
  return (
    <div className="grid gap-3">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))] items-end gap-3">
        <SearchField
          label={words.search}
          value={view.search ?? ''}
          onSearch={(search) => onChange({ search: search || undefined })}
        />
        <SelectField
          label={words.status}
          name="status"
          value={view.status ?? ''}
          onChange={(status) => onChange({ status: status || undefined })}
          options={[
            { value: '', label: words.all },
            ...STATUSES.map((value) => ({ value, label: words.statuses[value] })),
          ]}
        />
        <SelectField
          label={words.segment}
          name="segment"
          value={view.segmentId ?? ''}
          onChange={(segmentId) => onChange({ segmentId: segmentId || undefined, where: undefined })}
          options={[
            { value: '', label: words.allContacts },
            ...(segments ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SelectField
          label={words.sort}
          name="sort"
          value={view.sort ?? 'createdAt'}
          onChange={(sort) => onChange({ sort: sort === 'createdAt' ? undefined : sort })}
          options={SORTS.map((value) => ({ value, label: words.sorts[value] }))}
        />
      </div>
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2">
        {view.segmentId === undefined && <FieldFilters where={view.where} onChange={onChange} />}
        <Columns columns={view.columns ?? []} onChange={onChange} />
        <Views view={view} onChange={onChange} />
      </div>
    </div>
  );
}

const SUMMARY = 'cursor-pointer py-1 font-medium';

function FieldFilters({ where, onChange }: { where: ConditionDraft | undefined; onChange: Props['onChange'] }) {
  const words = useContactWords();
  const [isOpen, setOpen] = useState(where !== undefined);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="min-w-0 open:basis-full"
    >
      <summary className={SUMMARY}>{words.filters}</summary>
      {isOpen && <OpenFilters where={where ?? EMPTY_CONDITION} onChange={onChange} />}
    </details>
  );
}

/** Fields and counts are read only while the filters are open. */
function OpenFilters({ where, onChange }: { where: ConditionDraft; onChange: Props['onChange'] }) {
  const fields = useFields();
  const preview = usePreview(where);
  return (
    <ConditionBuilder
      tree={where}
      onChange={(tree) => onChange({ where: tree.groups.length === 0 ? undefined : tree })}
      fields={fields}
      preview={preview}
    />
  );
}

function Columns({ columns, onChange }: { columns: string[]; onChange: Props['onChange'] }) {
  const words = useContactWords();
  const { $api } = useProject();
  const { data } = $api.useQuery('get', '/contacts/fields');
  const keys = (data?.fields ?? []).map(({ field }) => field).filter((field) => field.startsWith('data.'));
  if (keys.length === 0) return null;
  return (
    <details>
      <summary className={SUMMARY}>{words.columns}</summary>
      <div className="grid max-h-60 gap-1 overflow-y-auto p-1">
        {keys.map((field) => {
          const key = field.slice('data.'.length);
          return (
            <CheckboxField
              key={key}
              name={key}
              label={key}
              checked={columns.includes(key)}
              onChange={(isShown) =>
                onChange({ columns: isShown ? [...columns, key] : columns.filter((one) => one !== key) })
              }
            />
          );
        })}
      </div>
    </details>
  );
}

interface SavedView {
  name: string;
  view: ContactView;
}

const viewsKey = (projectId: string): string => `contact-views ${projectId}`;

function readViews(projectId: string): SavedView[] {
  const stored: unknown = JSON.parse(localStorage.getItem(viewsKey(projectId)) ?? '[]');
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'name' in one && 'view' in one && typeof one.name === 'string'
      ? [{ name: one.name, view: readContactView({ ...(one.view as object) }) }]
      : [],
  );
}

/** Views that this browser remembers. */
function Views({ view, onChange }: Props) {
  const words = useContactWords();
  const { projectId } = useProject();
  const [views, setViews] = useState(() => readViews(projectId));
  const [name, setName] = useState('');
  const store = (next: SavedView[]): void => {
    localStorage.setItem(viewsKey(projectId), JSON.stringify(next));
    setViews(next);
  };
  const open = (saved: ContactView): void => onChange(readContactView({ ...saved }));
  return (
    <details>
      <summary className={SUMMARY}>{words.views}</summary>
      <div className="grid gap-2 p-1">
        {views.map((one) => (
          <span key={one.name} className="flex items-center gap-1">
            <Button look="quiet" onClick={() => open(one.view)}>
              {one.name}
            </Button>
            <Button
              look="quiet"
              aria-label={words.deleteView(one.name)}
              onClick={() => store(views.filter(({ name: other }) => other !== one.name))}
            >
              <CloseIcon />
            </Button>
          </span>
        ))}
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            store([...views.filter((one) => one.name !== name), { name, view }]);
            setName('');
          }}
        >
          <TextField
            label={words.viewName}
            name="view"
            required
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit">{words.saveView}</Button>
        </form>
      </div>
    </details>
  );
}
