/** Emptying and deleting the project. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api } from '../../api/client.js';
import { useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { Progress } from '../../ui/figure.js';
import { FormProblem } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { reloadProjects } from '../accounts/session.js';
import { useSettingsWords } from './words.js';

const Sentences = ({ items }: { items: string[] }) => (
  <ul className="list-disc ps-5">
    {items.map((item) => (
      <li key={item}>{item}</li>
    ))}
  </ul>
);

export function DangerPage() {
  return (
    <>
      <Reset />
      <Delete />
    </>
  );
}

function Reset() {
  const words = useSettingsWords();
  const { projectId, project, mayManage, cache } = useProject();
  const [isAsking, setAsking] = useState(false);
  const reset = $api.useMutation('post', '/users/@me/projects/{id}/reset');
  const confirm = (): void => {
    setAsking(false);
    reset.mutate(
      { params: { path: { id: projectId } } },
      { onSettled: () => void cache.invalidateQueries().then(() => reloadProjects()) },
    );
  };
  return (
    <Card title={words.resetTitle}>
      <Sentences items={words.resetDeletes} />
      <p>{words.resetKeeps}</p>
      {reset.isPending && <Progress label={words.resetting} value={null} />}
      {reset.isSuccess && <Note tone="success">{words.resetDone}</Note>}
      {reset.isError && <ResetProblem error={reset.error} />}
      <Button
        look="danger"
        className="justify-self-start"
        disabled={!mayManage}
        isBusy={reset.isPending}
        onClick={() => setAsking(true)}
      >
        {words.reset}
      </Button>
      {!mayManage && <p className="text-sm text-muted">{words.managersOnly}</p>}
      <Question
        title={words.resetQuestion(project.name)}
        about={<Sentences items={words.resetDeletes} />}
        action={words.reset}
        confirmation={project.name}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      />
    </Card>
  );
}

function ResetProblem({ error }: { error: unknown }) {
  const words = useSettingsWords();
  return (
    <>
      <FormProblem error={error} />
      <p>{words.resetInterrupted}</p>
    </>
  );
}

function Delete() {
  const words = useSettingsWords();
  const { projectId, project } = useProject();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = $api.useMutation('delete', '/users/@me/projects/{id}');
  const isOwner = project.role === 'OWNER';
  const finish = async (): Promise<void> => {
    await reloadProjects();
    await navigate({ to: '/' });
  };
  return (
    <Card title={words.deleteTitle}>
      <Sentences items={words.deleteDeletes} />
      <Button look="danger" className="justify-self-start" disabled={!isOwner} onClick={() => setAsking(true)}>
        {words.deleteProject}
      </Button>
      {!isOwner && <p className="text-sm text-muted">{words.ownerOnly}</p>}
      <Question
        title={words.deleteQuestion(project.name)}
        about={<Sentences items={words.deleteDeletes} />}
        action={words.deleteProject}
        confirmation={project.name}
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate({ params: { path: { id: projectId } } }, { onSuccess: () => void finish() })}
      />
    </Card>
  );
}
