/** Duplicates and deletes a template. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Question } from '../../ui/dialog.js';
import { MoreIcon } from '../../ui/icons.js';
import { Menu } from '../../ui/menu.js';
import { notify } from '../../ui/toast.js';
import { useWords } from '../../words/words.js';
import type { Template } from './fields.js';
import { useTemplateWords } from './words.js';

interface Props {
  template: Template;
  usage: Schemas['TemplateUsage'] | undefined;
  etag: string | null;
}

export function TemplateActions({ template, usage, etag }: Props) {
  const words = useTemplateWords();
  const { common } = useWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const refresh = (): void => void cache.invalidateQueries({ queryKey: ['get', '/templates'] });
  const params = { path: { id: template.id } };
  const duplicate = $api.useMutation('post', '/templates/{id}/duplicate', {
    onSuccess({ id }) {
      refresh();
      notify(words.duplicated);
      void navigate({
        to: '/projects/$projectId/templates/$templateId',
        params: { projectId, templateId: id },
      });
    },
  });
  const remove = $api.useMutation('delete', '/templates/{id}', {
    onSuccess() {
      refresh();
      notify(words.remove.done);
      void navigate({ to: '/projects/$projectId/templates', params: { projectId } });
    },
  });
  const steps = usage?.workflowSteps ?? [];
  return (
    <>
      <Menu
        label={common.more}
        actions={[
          { label: words.duplicate, onSelect: () => duplicate.mutate({ params }) },
          { label: words.remove.menu, onSelect: () => setDeleting(true), isDanger: true },
        ]}
      >
        <MoreIcon />
      </Menu>
      <Question
        title={words.remove.title(template.name)}
        about={
          <>
            {words.remove.about.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
            {steps.length > 0 && (
              <p className="text-danger">
                {words.remove.inUse(
                  steps.map(({ name, workflowName }) => words.usage.step(name, workflowName)).join(', '),
                )}
              </p>
            )}
          </>
        }
        action={words.remove.action}
        isOpen={isDeleting}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setDeleting(false)}
        onConfirm={() =>
          remove.mutate({ params: { ...params, ...(etag !== null && { header: { 'If-Match': etag } }) } })
        }
      />
    </>
  );
}
