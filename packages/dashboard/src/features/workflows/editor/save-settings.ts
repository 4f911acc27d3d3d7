/** Saving the settings of the workflow that is edited. The draft of its graph stays as it is. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { versionOf, type Versioned } from '../../../api/versioned.js';
import { notify } from '../../../ui/toast.js';
import { readGraph } from './graph.js';
import { begin, withEvent } from './history.js';
import { isConflict, type Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

type Workflow = Schemas['Workflow'];

export interface Settings {
  name: string;
  description: string | null;
  eventName: string;
  allowReentry: boolean;
}

export const settingsOf = ({ name, description, triggerConfig, allowReentry }: Workflow): Settings => ({
  name,
  description,
  eventName: triggerConfig.eventName,
  allowReentry,
});

/** The steps and transitions as text, without the event, which is a setting. */
const drawingOf = (workflow: Workflow): string => JSON.stringify(withEvent(begin(readGraph(workflow)), '').present);

interface Save {
  settings: Settings;
  /** Disables the workflow too, which permits another event while executions are active. */
  disables?: boolean;
  /** Saves over another version. */
  overwrites?: boolean;
}

interface Options {
  editor: Editor;
  workflow: Workflow;
  onSaved: () => void;
}

export function useSaveSettings({ editor, workflow, onSaved }: Options) {
  const words = useEditorWords();
  const { api, cache } = useProject();
  const { id } = workflow;

  /** If someone else has saved another graph, the next save of the draft must still be a conflict. */
  const adopt = ({ data, etag }: Versioned<Workflow>): void => {
    const { steps, transitions } = workflow;
    if (drawingOf(workflow) === drawingOf(data)) editor.adoptVersion(etag);
    editor.adoptEvent(data.triggerConfig.eventName);
    // Their steps are read again when the draft is given up.
    cache.setQueryData(['get', '/workflows/{id}', id, 'version'], { data: { ...data, steps, transitions }, etag });
    onSaved();
  };

  const save = useMutation({
    mutationFn: async ({ settings: { eventName, ...settings }, disables = false, overwrites = false }: Save) =>
      versionOf(
        await api.PATCH('/workflows/{id}', {
          params: { path: { id }, header: { 'If-Match': overwrites ? '*' : editor.etag } },
          body: { ...settings, triggerConfig: { eventName }, ...(disables && { enabled: false }) },
        }),
      ),
    async onSuccess(saved) {
      notify(words.settingsSaved);
      adopt(saved);
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}'], refetchType: 'none' });
    },
  });

  /** The version of someone else, after a conflict. */
  const theirs = useQuery({
    queryKey: ['get', '/workflows/{id}', id, 'other version', save.submittedAt],
    queryFn: async () => versionOf(await api.GET('/workflows/{id}', { params: { path: { id } } })),
    enabled: isConflict(save.error),
    gcTime: 0,
  });

  return { save, theirs, adopt };
}
