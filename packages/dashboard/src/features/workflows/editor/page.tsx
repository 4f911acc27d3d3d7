/** The editor of a workflow: the graph or its list, the form of the selected step, and the problems. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { versionOf, type Versioned } from '../../../api/versioned.js';
import { Button } from '../../../ui/button.js';
import { Question } from '../../../ui/dialog.js';
import { RedoIcon, UndoIcon } from '../../../ui/icons.js';
import { Card, Page } from '../../../ui/page.js';
import { ErrorState, Skeleton } from '../../../ui/states.js';
import { STEP_VIEWS, type StepView } from '../filters.js';
import { StateBadge } from '../list.js';
import { useWorkflowWords } from '../words.js';
import { EnableButton, EnableProblem, useEnabling, type Enabling } from './enable.js';
import { FocusedForm } from './focused-form.js';
import { GraphView } from './graph-view.js';
import { ListView } from './list-view.js';
import { Problems } from './problems.js';
import { SaveProblem } from './save-problem.js';
import { SettingsButton } from './settings.js';
import { useShownGraph } from './shown.js';
import { useEditor, type Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

type Workflow = Schemas['Workflow'];

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId/edit');

export function WorkflowEditorPage() {
  const words = useWorkflowWords();
  const { api, projectId } = useProject();
  const { workflowId } = route.useParams();
  /** Each one begins with another draft. */
  const [loads, setLoads] = useState(0);
  const { data, error, refetch } = useQuery({
    queryKey: ['get', '/workflows/{id}', workflowId, 'version'],
    queryFn: async () => versionOf(await api.GET('/workflows/{id}', { params: { path: { id: workflowId } } })),
    // What someone else saves meanwhile is a conflict at saving. It must not replace the draft.
    staleTime: Infinity,
    gcTime: 0,
  });
  const reload = (): void => void refetch().then(() => setLoads((before) => before + 1));
  if (data) return <EditorOf key={loads} version={data} onReload={reload} />;
  return (
    <Page
      title={words.title}
      back={
        <Link to="/projects/$projectId/workflows" params={{ projectId }} className="text-accent underline">
          {words.title}
        </Link>
      }
    >
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
    </Page>
  );
}

interface Props {
  version: Versioned<Workflow>;
  onReload: () => void;
}

function EditorOf({ version, onReload }: Props) {
  const words = useEditorWords();
  const { projectId } = useProject();
  const editor = useEditor(version);
  const workflow = version.data;
  const enabling = useEnabling(editor, workflow);
  useUndoKeys(editor);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && editor.isChanged,
    enableBeforeUnload: () => editor.isChanged,
    withResolver: true,
  });
  return (
    <Page
      title={words.editTitle(workflow.name)}
      back={
        <Link
          to="/projects/$projectId/workflows/$workflowId"
          params={{ projectId, workflowId: workflow.id }}
          className="text-accent underline"
        >
          {workflow.name}
        </Link>
      }
      about={
        <span className="flex flex-wrap items-center gap-2">
          <StateBadge isEnabled={workflow.enabled} />
          <span role="status">{editor.isChanged ? words.unsaved : words.allSaved}</span>
        </span>
      }
      actions={<Actions editor={editor} workflow={workflow} enabling={enabling} />}
    >
      <EnableProblem enabling={enabling} editor={editor} onReload={onReload} />
      <SaveProblem editor={editor} workflow={workflow} onReload={onReload} />
      <Body editor={editor} />
      <Problems editor={editor} />
      <Question
        title={words.leaveTitle}
        about={words.leaveAbout}
        action={words.leave}
        isOpen={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        onConfirm={() => blocker.proceed?.()}
      />
    </Page>
  );
}

interface ActionsProps {
  editor: Editor;
  workflow: Workflow;
  enabling: Enabling;
}

function Actions({ editor, workflow, enabling }: ActionsProps) {
  const words = useEditorWords();
  return (
    <>
      <Button disabled={!editor.canUndo} onClick={editor.undo}>
        <UndoIcon />
        {words.undo}
      </Button>
      <Button disabled={!editor.canRedo} onClick={editor.redo}>
        <RedoIcon />
        {words.redo}
      </Button>
      <SettingsButton editor={editor} workflow={workflow} />
      <EnableButton enabling={enabling} editor={editor} />
      <Button look="primary" disabled={!editor.isChanged} isBusy={editor.isSaving} onClick={() => editor.save()}>
        {words.save}
      </Button>
    </>
  );
}

function Body({ editor }: { editor: Editor }) {
  const words = useEditorWords();
  const search = route.useSearch();
  const problemsOf = useMemo(() => {
    const byStep = new Map<string, Array<Schemas['WorkflowProblem']>>();
    for (const problem of editor.problems) {
      const key = editor.stepOfProblem(problem);
      if (key !== undefined) byStep.set(key, [...(byStep.get(key) ?? []), problem]);
    }
    return byStep;
  }, [editor]);
  const shown = useShownGraph(editor.graph, problemsOf);
  const view = search.view ?? (matchMedia('(width < 64rem)').matches ? 'list' : 'graph');
  return (
    <Card title={words.steps} actions={<ViewSwitch view={view} />}>
      {view === 'list' ? (
        <ListView editor={editor} shown={shown.byKey} problemsOf={problemsOf} />
      ) : (
        <WithPanel panel={editor.selected !== null && <FocusedForm editor={editor} />}>
          <GraphView editor={editor} steps={shown.steps} transitions={shown.transitions} />
        </WithPanel>
      )}
    </Card>
  );
}

/** The form to the right of the graph; below it on a narrow screen. */
function WithPanel({ panel, children }: { panel: ReactNode; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_auto]">
      {children}
      {panel && <div className="min-w-0 lg:max-h-[70vh] lg:w-96 lg:overflow-y-auto lg:p-1">{panel}</div>}
    </div>
  );
}

function ViewSwitch({ view }: { view: StepView }) {
  const words = useWorkflowWords();
  const navigate = useNavigate({ from: '/projects/$projectId/workflows/$workflowId/edit' });
  return (
    <div role="group" aria-label={words.viewOfSteps} className="flex">
      {STEP_VIEWS.map((name) => (
        <Button
          key={name}
          aria-pressed={view === name}
          className="first:rounded-e-none last:rounded-s-none last:border-s-0 aria-pressed:bg-accent-soft aria-pressed:text-accent"
          onClick={() => void navigate({ search: { view: name }, replace: true, resetScroll: false })}
        >
          {words.views[name]}
        </Button>
      ))}
    </div>
  );
}

/** ⌘Z and ⇧⌘Z, also Ctrl. In a field, the browser's own undo would not know the graph. */
function useUndoKeys({ undo, redo, save, isChanged }: Editor): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.metaKey || event.ctrlKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key === 'z') (event.shiftKey ? redo : undo)();
      else if (key === 'y' && !event.shiftKey) redo();
      else if (key === 's') {
        if (isChanged) save();
      } else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [undo, redo, save, isChanged]);
}
