/** Two people edit one campaign, or one of them sends it: both versions are kept, one of them as a draft. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { resultOf, statusOf } from '../../api/query.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { FormProblem } from '../../ui/form.js';
import { notify } from '../../ui/toast.js';
import type { Autosave } from '../editor/autosave.js';
import { diffFields } from '../editor/content.js';
import { toPatch, type Campaign, type CampaignFields } from './model.js';
import { useCampaignWords } from './words.js';

const CONFLICT = 409;

/** Returns what stores a version as a draft of its own. */
export function useCopy(): (fields: CampaignFields, nameOf: (name: string) => string) => Promise<Campaign> {
  const words = useCampaignWords();
  const { api, cache } = useProject();
  return async ({ name, body, editor, design, ...others }, nameOf) => {
    const content = editor === 'blocks' && design ? { design } : { body };
    const { data } = resultOf(
      await api.POST('/campaigns', { body: { ...toPatch(others), ...content, name: nameOf(name), draft: true } }),
    );
    void cache.invalidateQueries({ queryKey: ['get', '/campaigns'] });
    notify(words.copied(data.name));
    return data;
  };
}

/** Offers to keep changes that the campaign no longer takes, because someone has sent it in the meantime. */
export function RefusedNote({ save }: { save: Autosave<CampaignFields> }) {
  const { refused, mineOf } = useCampaignWords();
  const { projectId } = useProject();
  const navigate = useNavigate();
  const copy = useCopy();
  const [error, setError] = useState<unknown>(null);
  if (save.state !== 'failed' || statusOf(save.error) !== CONFLICT) return null;
  const store = async (): Promise<void> => {
    try {
      const { id } = await copy(save.fields, mineOf);
      // Nothing is left to save here.
      save.adopt({ fields: save.fields, etag: save.etag });
      await navigate({ to: '/projects/$projectId/campaigns/$campaignId/edit', params: { projectId, campaignId: id } });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Note tone="warning">
      <span>{refused.about}</span>
      <Button onClick={() => void store()}>{refused.action}</Button>
      <FormProblem error={error} />
    </Note>
  );
}

/** Returns the fields that differ, in words. */
export function useDifferences(mine: CampaignFields, theirs: CampaignFields) {
  const { fields } = useCampaignWords();
  const changed = diffFields(mine, theirs);
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  return FIELDS.filter((key) => key in changed).map((key) => ({
    label: fields[key],
    mine: textOf(mine[key]),
    theirs: textOf(theirs[key]),
  }));
}

const FIELDS = [
  'name',
  'subject',
  'preheader',
  'editor',
  'design',
  'body',
  'type',
  'from',
  'fromName',
  'replyTo',
  'audience',
  'sendWindow',
  'variants',
  'test',
] as const satisfies ReadonlyArray<keyof CampaignFields>;
