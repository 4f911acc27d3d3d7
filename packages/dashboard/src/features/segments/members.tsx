/** The contacts of a segment. To a static one, contacts are added here. */
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { CheckboxField, TextArea } from '../../ui/field.js';
import { Dialog } from '../../ui/dialog.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { Rows, type Column } from '../../ui/list.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { useSegmentWords } from './words.js';

const PAGE_SIZE = 20;
const LIST_KEY = ['get', '/segments/{id}/contacts'];

export function Members({ segment }: { segment: Schemas['Segment'] }) {
  const words = useSegmentWords();
  const format = useFormat();
  const { $api, cache } = useProject();
  const [isAdding, setAdding] = useState(false);
  const path = { id: segment.id };
  const { data, error, refetch } = $api.useQuery('get', '/segments/{id}/contacts', {
    params: { path, query: { pageSize: PAGE_SIZE } },
  });
  const remove = $api.useMutation('delete', '/segments/{id}/members', {
    onSuccess: () => cache.invalidateQueries({ queryKey: LIST_KEY }),
  });
  const columns: Array<Column<Schemas['Contact']>> = [
    { id: 'email', header: words.whyEmail, cell: ({ email }) => email },
    { id: 'updated', header: words.updated, align: 'end', cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
  ];
  if (segment.type === 'STATIC')
    columns.push({
      id: 'remove',
      header: words.removeMember,
      align: 'end',
      cell: ({ email }) => (
        <Button
          aria-label={`${words.removeMember}: ${email}`}
          onClick={() => remove.mutate({ params: { path }, body: { emails: [email] } })}
        >
          {words.removeMember}
        </Button>
      ),
    });
  return (
    <Card
      title={data ? `${words.sample} (${format.number(data.total)})` : words.sample}
      actions={segment.type === 'STATIC' && <Button onClick={() => setAdding(true)}>{words.addMembers}</Button>}
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data?.data.length === 0 && <p className="text-muted">{words.noMembers}</p>}
      {data && data.data.length > 0 && (
        <Rows label={words.sample} rows={data.data} columns={columns} rowKey={({ id }) => id} />
      )}
      <FormProblem error={remove.error} />
      <AddMembers segmentId={segment.id} isOpen={isAdding} onClose={() => setAdding(false)} />
    </Card>
  );
}

function AddMembers({ segmentId, isOpen, onClose }: { segmentId: string; isOpen: boolean; onClose: () => void }) {
  const words = useSegmentWords();
  const { common } = useWords();
  const { $api, cache } = useProject();
  const [createMissing, setCreateMissing] = useState(false);
  const add = $api.useMutation('post', '/segments/{id}/members', {
    async onSuccess({ added, notFound }) {
      onClose();
      notify([words.added(added), ...(notFound.length > 0 ? [words.missing(notFound.length)] : [])].join(', '));
      await cache.invalidateQueries({ queryKey: LIST_KEY });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const emails = (readForm(event).emails ?? '').split(/[\s,;]+/).filter((email) => email !== '');
    add.mutate({ params: { path: { id: segmentId } }, body: { emails, createMissing } });
  };
  const error = Object.entries(fieldErrors(add.error)).find(([name]) => name.startsWith('emails'))?.[1];
  return (
    <Dialog title={words.addMembers} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextArea label={words.addresses} name="emails" rows={6} required error={error} />
        <CheckboxField
          label={words.createMissing}
          name="createMissing"
          checked={createMissing}
          onChange={setCreateMissing}
        />
        <FormProblem
          error={add.error}
          fields={Object.keys(fieldErrors(add.error)).filter((name) => name.startsWith('emails'))}
        />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" isBusy={add.isPending}>
            {words.addMembers}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
