/** Saving settings of the project. */
import { reloadProjects } from '../accounts/session.js';
import { $api } from '../../api/client.js';
import { useProject } from '../../api/project.js';
import type { Schemas } from '../../../../client/src/index.js';
import type { paths } from '../../../../client/src/schema.js';
import { notify } from '../../ui/toast.js';
import { useWords } from '../../words/words.js';

export type Project = Schemas['Project'];
export type ProjectChanges = paths['/users/@me/projects/{id}']['patch']['requestBody']['content']['application/json'];

interface Saving {
  /** Saves the given settings; the others stay, also those that someone else has changed meanwhile. */
  save: (changes: ProjectChanges) => void;
  error: unknown;
  isBusy: boolean;
}

export function useSaveProject(): Saving {
  const { projectId } = useProject();
  const { common } = useWords();
  const { mutate, error, isPending } = $api.useMutation('patch', '/users/@me/projects/{id}');
  const finish = async (): Promise<void> => {
    await reloadProjects();
    notify(common.saved);
  };
  return {
    save: (body) => mutate({ params: { path: { id: projectId } }, body }, { onSuccess: () => void finish() }),
    error,
    isBusy: isPending,
  };
}

/** Returns the entries of `values` that differ from those of the project. */
export const changesOf = <Values extends ProjectChanges>(project: Project, values: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) =>
      Object.entries(project).every(([key, old]) => key !== name || old !== value),
    ),
  ) as Partial<Values>;

/** Returns null for an empty text, which removes the setting. */
export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
