/** Enabling the workflow that is edited, and disabling it. */
import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { versionOf } from '../../../api/versioned.js';
import { Button } from '../../../ui/button.js';
import { Conflict } from '../../../ui/conflict.js';
import { FormProblem } from '../../../ui/form.js';
import { notify } from '../../../ui/toast.js';
import { useWorkflowWords } from '../words.js';
import { isConflict, type Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

export interface Enabling {
  isEnabled: boolean;
  isBusy: boolean;
  error: unknown;
  reset: () => void;
  toggle: () => void;
}

/** Enables the workflow as it is drawn, so it saves the draft first. Disabling leaves the draft as it is. */
export function useEnabling(editor: Editor, workflow: Schemas['Workflow']): Enabling {
  const words = useWorkflowWords();
  const { api, cache } = useProject();
  const { id, enabled: isEnabled } = workflow;
  const toggle = useMutation({
    async mutationFn() {
      const version = !isEnabled && editor.isChanged ? await editor.saveNow() : editor.etag;
      return versionOf(
        await api.PATCH('/workflows/{id}', {
          params: { path: { id }, header: { 'If-Match': version } },
          body: { enabled: !isEnabled },
        }),
      );
    },
    async onSuccess({ data, etag }) {
      editor.adoptVersion(etag);
      notify(data.enabled ? words.enabledNow : words.disabledNow);
      cache.setQueryData(['get', '/workflows/{id}', id, 'version'], { data, etag });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}'], refetchType: 'none' });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
    },
  });
  return {
    isEnabled,
    isBusy: toggle.isPending,
    error: toggle.error,
    reset: toggle.reset,
    toggle: () => toggle.mutate(),
  };
}

export function EnableButton({ enabling, editor }: { enabling: Enabling; editor: Editor }) {
  const words = useWorkflowWords();
  const editorWords = useEditorWords();
  const enable = editor.isChanged ? editorWords.enable : words.enable;
  return (
    <Button isBusy={enabling.isBusy} onClick={enabling.toggle}>
      {enabling.isEnabled ? words.disable : enable}
    </Button>
  );
}

interface ProblemProps {
  enabling: Enabling;
  editor: Editor;
  onReload: () => void;
}

/** A failed save before it is shown as every failed save. */
export function EnableProblem({ enabling: { error, reset }, editor, onReload }: ProblemProps) {
  if (error === editor.saveError) return null;
  if (!isConflict(error)) return <FormProblem error={error} />;
  return (
    <Conflict
      onTheirs={onReload}
      onMine={() => {
        reset();
        editor.save('*');
      }}
    />
  );
}
