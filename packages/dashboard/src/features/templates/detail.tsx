/** A template: its content, its settings, its versions, and where it is used. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors, resultOf } from '../../api/query.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { FormProblem } from '../../ui/form.js';
import { Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { notify } from '../../ui/toast.js';
import { oneOf } from '../../routing/search.js';
import { useAutosave, useSaveOnLeave } from '../editor/autosave.js';
import { ConflictDialog } from '../editor/conflict.js';
import type { SampleContact } from '../editor/contact-picker.js';
import { diffFields, type Content } from '../editor/content.js';
import { ContentEditor } from '../editor/content-editor.js';
import { LeaveQuestion, SaveStatus } from '../editor/save-status.js';
import { TemplateActions } from './actions.js';
import { TABS, toPatch, toSaved, type LoadedTemplate, type Template, type TemplateFields } from './fields.js';
import { StateBadges } from './list.js';
import { Settings } from './settings.js';
import { TestDialog } from './test-send.js';
import { Usage } from './usage.js';
import { Versions } from './versions.js';
import { useTemplateWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/templates/$templateId');

export function TemplatePage() {
  const { templateId } = route.useParams();
  const { api } = useProject();
  const load = async (): Promise<LoadedTemplate> => {
    const result = await api.GET('/templates/{id}', { params: { path: { id: templateId } } });
    return { template: resultOf(result), etag: result.response.headers.get('ETag') };
  };
  // Always what the server has: edits of an old version would end in a conflict.
  const { data, error, refetch } = useQuery({
    queryKey: ['template', templateId],
    queryFn: load,
    gcTime: 0,
    staleTime: Infinity,
  });
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  return <LoadedPage key={templateId} loaded={data} load={load} />;
}

function LoadedPage({ loaded, load }: { loaded: LoadedTemplate; load: () => Promise<LoadedTemplate> }) {
  const words = useTemplateWords();
  const { api, cache, projectId, $api } = useProject();
  const { tab = 'content' } = route.useSearch();
  const navigate = route.useNavigate();
  const id = loaded.template.id;
  const [stored] = useState(() => toSaved(loaded));
  const [template, setTemplate] = useState<Template>(loaded.template);
  const [contact, setContact] = useState<SampleContact | null>(null);
  // A problem of the content leads to its field in the settings.
  const [isGoingToSender, setGoingToSender] = useState(false);
  const [finishError, setFinishError] = useState<unknown>(null);
  const [isComparing, setComparing] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const usage = $api.useQuery('get', '/templates/{id}/usage', { params: { path: { id } } });

  const receive = (answer: Template): void => {
    setTemplate(answer);
    void cache.invalidateQueries({ queryKey: ['get', '/templates'] });
    void cache.invalidateQueries({ queryKey: ['get', '/templates/{id}/versions'] });
  };
  const patch = async (change: Partial<TemplateFields>, etag: string | null): Promise<string | null> => {
    const result = await api.PATCH('/templates/{id}', {
      params: { path: { id }, ...(etag !== null && { header: { 'If-Match': etag } }) },
      // A finished template stays complete: what is not is refused.
      body: template.draft ? { ...toPatch(change), draft: true } : toPatch(change),
    });
    receive(resultOf(result));
    // What was missing may be there now.
    setFinishError(null);
    return result.response.headers.get('ETag');
  };
  const save = useAutosave<TemplateFields>({
    stored,
    save: patch,
    load: async () => {
      const other = await load();
      setComparing(true);
      return toSaved(other);
    },
  });
  const blocker = useSaveOnLeave(save);
  const { fields } = save;
  const errors = fieldErrors(save.error);

  const adoptStored = async (): Promise<void> => {
    const fresh = await load();
    receive(fresh.template);
    save.adopt(toSaved(fresh));
  };
  const finish = async (): Promise<void> => {
    setFinishError(null);
    if (!(await save.flush())) return;
    try {
      resultOf(await api.PATCH('/templates/{id}', { params: { path: { id } }, body: { draft: false } }));
      await adoptStored();
      notify(words.finished);
    } catch (error) {
      setFinishError(error);
    }
  };
  const takeTheirs = async (): Promise<void> => {
    const { name, body, editor, design, ...others } = fields;
    const content = editor === 'blocks' ? { design } : { body };
    resultOf(
      await api.POST('/templates', {
        body: { ...toPatch(others), ...content, type: fields.type, name: words.copyName(name), draft: true },
      }),
    );
    notify(words.copied);
    await adoptStored();
  };

  const shownErrors = { ...fieldErrors(finishError), ...errors };
  const liveSteps = template.draft ? 0 : (usage.data?.workflowSteps.length ?? 0);
  return (
    <Page
      title={fields.name === '' ? template.name : fields.name}
      back={
        <Link to="/projects/$projectId/templates" params={{ projectId }} className="text-accent underline">
          {words.title}
        </Link>
      }
      about={
        <span className="inline-flex flex-wrap items-center gap-2 pt-1">
          {words.types[fields.type]}
          <StateBadges template={template} />
          <SaveStatus save={save} onCompare={() => setComparing(true)} />
        </span>
      }
      actions={
        <>
          <TemplateActions template={template} usage={usage.data} etag={save.etag} />
          <Button onClick={() => setTesting(true)}>{words.test.open}</Button>
          {template.draft && (
            <Button look="primary" onClick={() => void finish()}>
              {words.finish}
            </Button>
          )}
        </>
      }
    >
      {finishError !== null && (
        <div className="grid gap-2">
          <strong>{words.finishFailed}</strong>
          <FormProblem error={finishError} />
        </div>
      )}
      {liveSteps > 0 && <Note>{words.liveNote(liveSteps)}</Note>}
      <Tabs
        label={words.title}
        selected={tab}
        onSelect={(selected) => {
          setGoingToSender(false);
          void navigate({ search: { tab: selected === 'content' ? undefined : oneOf(TABS, selected) } });
        }}
        tabs={[
          {
            id: 'content',
            label: words.tabs.content,
            content: (
              <ContentEditor
                key={save.revision}
                content={fields}
                onChange={(change: Partial<Content>) => save.change(change)}
                problems={template.problems}
                errors={shownErrors}
                type={fields.type}
                from={fields.from === '' ? null : fields.from}
                contact={contact}
                onContactChange={setContact}
                onGoToSender={() => {
                  setGoingToSender(true);
                  void navigate({ search: { tab: 'settings' } });
                }}
              />
            ),
          },
          {
            id: 'settings',
            label: words.tabs.settings,
            content: (
              <Settings fields={fields} errors={shownErrors} onChange={save.change} focusesSender={isGoingToSender} />
            ),
          },
          {
            id: 'versions',
            label: words.tabs.versions,
            content: <Versions template={template} flush={save.flush} onRestored={() => void adoptStored()} />,
          },
          { id: 'usage', label: words.tabs.usage, content: <Usage query={usage} /> },
        ]}
      />
      <TestDialog id={id} contact={contact} flush={save.flush} isOpen={isTesting} onClose={() => setTesting(false)} />
      <ConflictDialog
        isOpen={isComparing && save.theirs !== null}
        differences={useDifferences(fields, save.theirs?.fields ?? fields)}
        onClose={() => setComparing(false)}
        keepMineAbout={words.theirsStay}
        onKeepMine={save.keepMine}
        onTakeTheirs={takeTheirs}
      />
      <LeaveQuestion blocker={blocker} />
    </Page>
  );
}

/** Returns the fields that differ, in words. */
function useDifferences(mine: TemplateFields, theirs: TemplateFields) {
  const words = useTemplateWords();
  const changed = diffFields(mine, theirs);
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  // The body of blocks follows from the design.
  const isShown = (key: string): boolean => key !== 'body' || mine.editor === 'html' || theirs.editor === 'html';
  return FIELDS.filter((key) => key in changed && isShown(key)).map((key) => ({
    label: words[key],
    mine: textOf(mine[key]),
    theirs: textOf(theirs[key]),
  }));
}

const FIELDS = [
  'name',
  'description',
  'subject',
  'preheader',
  'editor',
  'design',
  'body',
  'type',
  'from',
  'fromName',
  'replyTo',
] as const satisfies ReadonlyArray<keyof TemplateFields>;
