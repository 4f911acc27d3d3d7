/** One field: its frequent values with their numbers of contacts, where it is used, and its deletion. */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { fieldErrors, resultOf } from '../../api/query.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog, Question, SidePanel } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { Bars } from '../../ui/figure.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { useFieldWords } from './words.js';

export interface ContactField {
  field: string;
  type: 'string' | 'number' | 'boolean' | 'date';
  coverage: number;
}

type Usage = Schemas['ContactFieldUsage'];

const MAX_VALUES = 10;
const LINK = 'text-accent underline';

export function FieldPanel({ field, onClose }: { field: ContactField | undefined; onClose: () => void }) {
  const words = useFieldWords();
  return (
    <SidePanel
      title={field?.field.replace(/^data\./, '') ?? ''}
      about={field && <Badge>{words.types[field.type]}</Badge>}
      isOpen={field !== undefined}
      onClose={onClose}
    >
      {field && <Details field={field} onClose={onClose} />}
    </SidePanel>
  );
}

function Details({ field: { field }, onClose }: { field: ContactField; onClose: () => void }) {
  const words = useFieldWords();
  const { number } = useFormat();
  const { $api } = useProject();
  const isOwn = field.startsWith('data.');
  const usage = $api.useQuery('get', '/contacts/fields/{field}/usage', { params: { path: { field } } });
  return (
    <>
      {usage.error && !usage.data && <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.isPending && <Skeleton />}
      {usage.data && <p>{words.isOnContacts(usage.data.contactCount, number(usage.data.contactCount))}</p>}
      {isOwn && <Values field={field} />}
      {usage.data && (
        <>
          <UsageLists usage={usage.data} />
          {isOwn && <Renaming field={field} usage={usage.data} onRenamed={onClose} />}
          {isOwn && <Deletion field={field} usage={usage.data} onDeleted={onClose} />}
        </>
      )}
    </>
  );
}

type FieldValue = string | number | boolean;

const isCountable = (value: unknown): value is FieldValue => ['string', 'number', 'boolean'].includes(typeof value);

/** The condition of the contacts with a value. */
const whereOf = (field: string, values: FieldValue[]) => ({
  logic: 'OR' as const,
  groups: values.map((value) => ({ filters: [{ field, operator: 'equals' as const, value }] })),
});

function Values({ field }: { field: string }) {
  const words = useFieldWords();
  const { $api, api, projectId } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/contacts/fields/{field}/values', {
    params: { path: { field }, query: { limit: MAX_VALUES } },
  });
  const values = (data?.values ?? []).filter(isCountable);
  // The preview of a condition counts each filter: here, each value.
  const counts = useQuery({
    queryKey: ['post', '/contacts/preview', field, values],
    enabled: values.length > 0,
    queryFn: async ({ signal }) =>
      resultOf(await api.POST('/contacts/preview', { body: { condition: whereOf(field, values) }, signal })),
  });
  const totals = new Map(counts.data?.filters.map(({ path, total }) => [path, total]));
  const bars = values
    .map((value, index) => ({ value, count: totals.get(`groups.${index}.filters.0`) ?? 0 }))
    .sort((one, other) => other.count - one.count);
  const failure = error ?? counts.error;
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{words.values}</h3>
      {failure && <ErrorState error={failure} onRetry={() => void (error ? refetch() : counts.refetch())} />}
      {!failure && (!data || (values.length > 0 && !counts.data)) && <Skeleton />}
      {data && values.length === 0 && <p className="text-muted">{words.noValues}</p>}
      {counts.data && (
        <>
          <p className="text-muted">{words.valuesAbout}</p>
          <Bars
            label={words.values}
            bars={bars.map(({ value, count }) => ({
              id: JSON.stringify(value),
              value: count,
              name: (
                <Link
                  to="/projects/$projectId/contacts"
                  params={{ projectId }}
                  search={{ where: whereOf(field, [value]) }}
                  className={LINK}
                >
                  {String(value)}
                </Link>
              ),
            }))}
          />
        </>
      )}
    </section>
  );
}

const USES = [
  ['usedInSegments', '/projects/$projectId/segments/$segmentId', 'segmentId'],
  ['usedInCampaigns', '/projects/$projectId/campaigns/$campaignId', 'campaignId'],
  ['usedInWorkflows', '/projects/$projectId/workflows/$workflowId', 'workflowId'],
] as const;

function UsageLists({ usage }: { usage: Usage }) {
  const words = useFieldWords();
  const { projectId } = useProject();
  const isUnused = USES.every(([key]) => usage[key].length === 0);
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{words.usage}</h3>
      {isUnused && <p>{words.unused}</p>}
      {USES.filter(([key]) => usage[key].length > 0).map(([key, to, parameter]) => (
        <div key={key}>
          <h4 className="text-sm text-muted">{words[key]}</h4>
          <ul>
            {usage[key].map(({ id, name }) => (
              <li key={id}>
                <Link {...({ to, params: { projectId, [parameter]: id } } as LinkProps)} className={LINK}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p className="text-sm text-muted">{words.usageAbout}</p>
    </section>
  );
}

interface RenamingProps {
  field: string;
  usage: Usage;
  onRenamed: () => void;
}

function Renaming({ field, usage, onRenamed }: RenamingProps) {
  const words = useFieldWords();
  const { common } = useWords();
  const { number } = useFormat();
  const { $api, cache } = useProject();
  const [isOpen, setOpen] = useState(false);
  const rename = $api.useMutation('post', '/contacts/fields/{field}/rename', {
    onSuccess({ renamedIn, notRenamedIn }) {
      setOpen(false);
      notify(words.renamed(number(renamedIn), notRenamedIn, number(notRenamedIn)));
      onRenamed();
      void cache.invalidateQueries({ queryKey: ['get', '/contacts/fields'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { to = '' } = readForm(event);
    rename.mutate({ params: { path: { field } }, body: { to } });
  };
  return (
    <div className="grid justify-items-start gap-2">
      <Button disabled={!usage.canDelete} onClick={() => setOpen(true)}>
        {words.rename}
      </Button>
      <Dialog title={words.rename} about={words.renameAbout} isOpen={isOpen} onClose={() => setOpen(false)}>
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label={words.newName}
            name="to"
            defaultValue={field.replace(/^data\./, '')}
            required
            maxLength={100}
            autoComplete="off"
            error={fieldErrors(rename.error).to}
          />
          <FormProblem error={rename.error} fields={['to']} />
          <div className="flex justify-end">
            <Button type="submit" look="primary" isBusy={rename.isPending}>
              {common.save}
            </Button>
          </div>
        </form>
      </Dialog>
    </div>
  );
}

interface DeletionProps {
  field: string;
  usage: Usage;
  onDeleted: () => void;
}

function Deletion({ field, usage, onDeleted }: DeletionProps) {
  const words = useFieldWords();
  const { number } = useFormat();
  const { $api, cache } = useProject();
  const [isAsking, setAsking] = useState(false);
  const remove = $api.useMutation('delete', '/contacts/fields/{field}', {
    onSuccess() {
      setAsking(false);
      notify(words.deleted);
      onDeleted();
      void cache.invalidateQueries({ queryKey: ['get', '/contacts/fields'] });
    },
  });
  const name = field.replace(/^data\./, '');
  return (
    <div className="grid justify-items-start gap-2">
      {!usage.canDelete && <p className="text-muted">{words.cannotDelete}</p>}
      <Button look="danger" disabled={!usage.canDelete} onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      <Question
        title={words.deleteTitle(name)}
        about={words.deleteAbout(number(usage.contactCount))}
        action={words.delete}
        confirmation={name}
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate({ params: { path: { field } } })}
      />
    </div>
  );
}
