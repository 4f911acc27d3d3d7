/** What can be done with a campaign from its row and its page: duplicate and delete. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { errorOf } from '../../api/query.js';
import { Question } from '../../ui/dialog.js';
import { MoreIcon } from '../../ui/icons.js';
import { Menu } from '../../ui/menu.js';
import { notify } from '../../ui/toast.js';
import { useWords } from '../../words/words.js';
import type { Campaign } from './model.js';
import { useCampaignWords } from './words.js';

/** Returns what makes a draft of a campaign's content and audience, and opens it. */
export function useDuplicate(): { duplicate: (id: string) => void; isBusy: boolean } {
  const words = useCampaignWords();
  const { errors } = useWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const mutation = $api.useMutation('post', '/campaigns/{id}/duplicate', {
    async onSuccess({ id }) {
      notify(words.duplicated);
      void cache.invalidateQueries({ queryKey: ['get', '/campaigns'] });
      await navigate({ to: '/projects/$projectId/campaigns/$campaignId/edit', params: { projectId, campaignId: id } });
    },
    onError: (error) => notify(errorOf(error)?.message ?? errors.offline),
  });
  return {
    duplicate: (id) => mutation.mutate({ params: { path: { id } } }),
    isBusy: mutation.isPending,
  };
}

export function CampaignMenu({ campaign, onRemoved }: { campaign: Campaign; onRemoved?: () => void }) {
  const words = useCampaignWords();
  const { $api, cache } = useProject();
  const [isDeleting, setDeleting] = useState(false);
  const { duplicate } = useDuplicate();
  const remove = $api.useMutation('delete', '/campaigns/{id}', {
    async onSuccess() {
      setDeleting(false);
      notify(words.remove.done);
      onRemoved?.();
      await cache.invalidateQueries({ queryKey: ['get', '/campaigns'] });
    },
  });
  const isActive = campaign.status === 'SCHEDULED' || campaign.status === 'SENDING';
  return (
    <>
      <Menu
        label={words.actionsOf(campaign.name)}
        actions={[
          { label: words.duplicate, onSelect: () => duplicate(campaign.id) },
          {
            label: isActive ? words.remove.cancelFirst : words.remove.menu,
            onSelect: () => setDeleting(true),
            isDanger: true,
            isDisabled: isActive,
          },
        ]}
      >
        <MoreIcon />
      </Menu>
      <Question
        title={words.remove.title(campaign.name)}
        about={campaign.totalRecipients > 0 ? words.remove.aboutSent : words.remove.about}
        action={words.remove.action}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate({ params: { path: { id: campaign.id } } })}
      />
    </>
  );
}
