/** A new segment, and an existing one: its condition with live counts, its members, and why a contact is in it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { resultOf, statusOf } from '../../api/query.js';
import { versionOf, type Versioned } from '../../api/versioned.js';
import { Button } from '../../ui/button.js';
import { Conflict } from '../../ui/conflict.js';
import { Question } from '../../ui/dialog.js';
import { Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { EMPTY_CONDITION, toCondition, toDraft } from '../conditions/model.js';
import { SegmentForm, type SegmentDraft } from './form.js';
import { Explanation } from './explanation.js';
import { Members } from './members.js';
import { useSegmentWords } from './words.js';

type Segment = Schemas['Segment'];

const route = getRouteApi('/signed-in/projects/$projectId/segments/$segmentId');

const NEW: SegmentDraft = {
  name: '',
  description: '',
  type: 'DYNAMIC',
  trackMembership: false,
  condition: EMPTY_CONDITION,
};

const toBody = ({ name, description, trackMembership, type, condition }: SegmentDraft) => ({
  name,
  description: description.trim() || null,
  trackMembership,
  ...(type === 'DYNAMIC' && { condition: toCondition(condition) }),
});

function Back() {
  const words = useSegmentWords();
  const { projectId } = useProject();
  return (
    <Link to="/projects/$projectId/segments" params={{ projectId }} className="text-accent underline">
      {words.back}
    </Link>
  );
}

export function NewSegmentPage() {
  const words = useSegmentWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(NEW);
  const create = $api.useMutation('post', '/segments', {
    async onSuccess({ id }) {
      notify(words.created);
      await cache.invalidateQueries({ queryKey: ['get', '/segments'] });
      await navigate({ to: '/projects/$projectId/segments/$segmentId', params: { projectId, segmentId: id } });
    },
  });
  return (
    <Page title={words.createTitle} back={<Back />}>
      <SegmentForm
        draft={draft}
        onChange={setDraft}
        isNew
        isBusy={create.isPending}
        error={create.error}
        onSave={() => create.mutate({ body: { ...toBody(draft), type: draft.type } })}
      />
    </Page>
  );
}

export function SegmentPage() {
  const words = useSegmentWords();
  const { api } = useProject();
  const { segmentId } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['get', '/segments/{id}', segmentId],
    queryFn: async () => versionOf(await api.GET('/segments/{id}', { params: { path: { id: segmentId } } })),
  });
  if (data)
    // The key: another version begins with another draft.
    return <Editor key={`${segmentId} ${data.etag}`} version={data} onReload={() => void refetch()} />;
  return (
    <Page title={words.title} back={<Back />}>
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
    </Page>
  );
}

function Editor({ version: { data: segment, etag }, onReload }: { version: Versioned<Segment>; onReload: () => void }) {
  const words = useSegmentWords();
  const { api, cache } = useProject();
  const [draft, setDraft] = useState<SegmentDraft>(() => ({
    name: segment.name,
    description: segment.description ?? '',
    type: segment.type,
    trackMembership: segment.trackMembership,
    condition: segment.condition ? toDraft(segment.condition) : EMPTY_CONDITION,
  }));
  const save = useMutation({
    mutationFn: async (version: string) =>
      versionOf(
        await api.PATCH('/segments/{id}', {
          params: { path: { id: segment.id }, header: { 'If-Match': version } },
          body: toBody(draft),
        }),
      ),
    async onSuccess(saved) {
      notify(words.saved);
      cache.setQueryData(['get', '/segments/{id}', segment.id], saved);
      await cache.invalidateQueries({ queryKey: ['get', '/segments'] });
      await cache.invalidateQueries({ queryKey: ['get', '/segments/{id}/contacts'] });
    },
  });
  const isConflict = statusOf(save.error) === 412;
  return (
    <Page title={segment.name} back={<Back />} actions={<Actions segment={segment} />}>
      {isConflict && <Conflict onTheirs={onReload} onMine={() => save.mutate('*')} />}
      <SegmentForm
        draft={draft}
        onChange={setDraft}
        segmentId={segment.id}
        isBusy={save.isPending}
        error={isConflict ? null : save.error}
        onSave={() => save.mutate(etag)}
      />
      <Explanation segment={segment} />
      <Members segment={segment} />
    </Page>
  );
}

function Actions({ segment }: { segment: Segment }) {
  const words = useSegmentWords();
  const { $api, api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const path = { params: { path: { id: segment.id } } };
  const remove = $api.useMutation('delete', '/segments/{id}', {
    async onSuccess() {
      notify(words.removed);
      await navigate({ to: '/projects/$projectId/segments', params: { projectId } });
      await cache.invalidateQueries({ queryKey: ['get', '/segments'] });
    },
  });
  const duplicate = useMutation({
    mutationFn: async () =>
      resultOf(
        await api.POST('/segments', {
          body: {
            name: words.copyOf(segment.name),
            description: segment.description,
            type: segment.type,
            trackMembership: segment.trackMembership,
            ...(segment.condition && { condition: toCondition(toDraft(segment.condition)) }),
          },
        }),
      ),
    async onSuccess({ id }) {
      notify(words.created);
      await cache.invalidateQueries({ queryKey: ['get', '/segments'] });
      await navigate({ to: '/projects/$projectId/segments/$segmentId', params: { projectId, segmentId: id } });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      <Button isBusy={duplicate.isPending} onClick={() => duplicate.mutate()}>
        {words.duplicate}
      </Button>
      <Question
        title={words.removeTitle(segment.name)}
        about={words.removeAbout}
        action={words.remove}
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate(path)}
      />
    </>
  );
}
