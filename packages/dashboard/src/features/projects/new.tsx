/** A new project, and its keys, of which the secret one is shown only once. */
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { $api } from '../../api/client.js';
import { errorOf, fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { CopyField } from '../../ui/copy.js';
import { TextField } from '../../ui/field.js';
import { readForm } from '../../ui/form.js';
import { useWords } from '../../words/words.js';
import { AccountLayout, Problem } from '../accounts/layout.js';
import { reloadProjects } from '../accounts/session.js';

export function NewProjectPage() {
  const { projects } = useWords();
  const create = $api.useMutation('post', '/users/@me/projects');
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { name = '' } = readForm(event);
    create.mutate({ body: { name } });
  };
  const project = create.data;
  const enter = async (projectId: string): Promise<void> => {
    await reloadProjects();
    await navigate({ to: '/projects/$projectId', params: { projectId } });
  };
  if (project)
    return (
      <AccountLayout title={projects.keysTitle}>
        <p className="rounded-lg bg-warning-soft p-3 text-warning">{projects.secretOnce}</p>
        <CopyField label={projects.secretKey} value={project.secret} />
        <CopyField label={projects.publicKey} value={project.public} />
        <Button look="primary" onClick={() => void enter(project.id)}>
          {projects.stored}
        </Button>
      </AccountLayout>
    );
  const named = fieldErrors(create.error);
  return (
    <AccountLayout title={projects.createTitle}>
      <p className="text-muted">{projects.createIntro}</p>
      <form onSubmit={submit} className="grid gap-4">
        <TextField label={projects.name} name="name" required autoFocus maxLength={100} error={named.name} />
        {create.error && !named.name && <Problem>{errorOf(create.error)?.message}</Problem>}
        <Button type="submit" look="primary" isBusy={create.isPending}>
          {projects.save}
        </Button>
      </form>
    </AccountLayout>
  );
}
