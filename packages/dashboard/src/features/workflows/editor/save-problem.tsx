/** Why a save failed, and what leads on: the other version, a disabled workflow, or a copy. */
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { resultOf, statusOf } from '../../../api/query.js';
import { versionOf } from '../../../api/versioned.js';
import { Note } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Conflict } from '../../../ui/conflict.js';
import { FormProblem } from '../../../ui/form.js';
import { notify } from '../../../ui/toast.js';
import { useWorkflowWords } from '../words.js';
import { toBody } from './graph.js';
import { isConflict, type Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

interface Props {
  editor: Editor;
  workflow: Schemas['Workflow'];
  onReload: () => void;
}

export function SaveProblem({ editor, workflow, onReload }: Props) {
  const words = useEditorWords();
  const disable = useDisable(editor, workflow);
  const copy = useSaveAsCopy(editor, workflow);
  const { saveError } = editor;
  if (isConflict(saveError) || isConflict(disable.error))
    return <Conflict onTheirs={onReload} onMine={() => editor.save('*')} />;
  if (statusOf(saveError) !== 409) return <FormProblem error={saveError} />;
  return (
    <Note tone="warning">
      <strong>{words.activeTitle}</strong>
      <span>{words.activeAbout}</span>
      <span className="flex flex-wrap gap-2">
        <Button isBusy={disable.isPending || editor.isSaving} onClick={() => disable.mutate()}>
          {words.disable}
        </Button>
        <Button isBusy={copy.isPending} onClick={() => copy.mutate()}>
          {words.saveAsCopy}
        </Button>
      </span>
      <FormProblem error={disable.error ?? copy.error} />
    </Note>
  );
}

/** Disables the workflow, and saves the draft then. */
function useDisable(editor: Editor, { id }: Schemas['Workflow']) {
  const words = useWorkflowWords();
  const { api, cache } = useProject();
  return useMutation({
    mutationFn: async () =>
      versionOf(
        await api.PATCH('/workflows/{id}', {
          params: { path: { id }, header: { 'If-Match': editor.etag } },
          body: { enabled: false },
        }),
      ),
    async onSuccess({ data, etag }) {
      editor.adoptVersion(etag);
      notify(words.disabledNow);
      cache.setQueryData(['get', '/workflows/{id}', id, 'version'], { data, etag });
      editor.save(etag);
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
    },
  });
}

/** Saves the draft as another workflow, and leads to its editor. The workflow stays as it was saved last. */
function useSaveAsCopy({ graph }: Editor, { id }: Schemas['Workflow']) {
  const words = useEditorWords();
  const { api, cache, projectId } = useProject();
  const navigate = useNavigate();
  return useMutation({
    async mutationFn() {
      const copy = resultOf(await api.POST('/workflows/{id}/duplicate', { params: { path: { id } } }));
      const params = { path: { id: copy.id } };
      const saved = await api.PUT('/workflows/{id}/graph', { params, body: toBody(graph, new Set()) });
      // A copy without the draft would be a surprise.
      if (saved.error) await api.DELETE('/workflows/{id}', { params });
      resultOf(saved);
      return copy.id;
    },
    async onSuccess(workflowId) {
      notify(words.savedAsCopy);
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
      await navigate({
        to: '/projects/$projectId/workflows/$workflowId/edit',
        params: { projectId, workflowId },
        search: (search) => search,
        // The draft is in the copy.
        ignoreBlocker: true,
      });
    },
  });
}
