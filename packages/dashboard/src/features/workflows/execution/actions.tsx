/** Canceling an execution, and ending the wait that it is in. */
import { useState } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { Button } from '../../../ui/button.js';
import { Question } from '../../../ui/dialog.js';
import { notify } from '../../../ui/toast.js';
import { useWords } from '../../../words/words.js';
import { useExecutionWords } from './words.js';

type Execution = Schemas['ExecutionWithHistory'];

export function Actions({ execution }: { execution: Execution }) {
  const words = useExecutionWords();
  const { common } = useWords();
  const { $api, cache } = useProject();
  const [asked, setAsked] = useState<'skip' | 'cancel' | null>(null);
  const path = { params: { path: { id: execution.workflowId, executionId: execution.id } } };
  const onDone = async (message: string): Promise<void> => {
    setAsked(null);
    notify(message);
    await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}/executions/{executionId}'] });
    await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}/executions'] });
  };
  const skip = $api.useMutation('post', '/workflows/{id}/executions/{executionId}/skip-wait', {
    onSuccess: () => onDone(words.skipped),
  });
  const cancel = $api.useMutation('delete', '/workflows/{id}/executions/{executionId}', {
    onSuccess: () => onDone(words.canceled),
  });
  const isActive = execution.status === 'RUNNING' || execution.status === 'WAITING';
  const last = execution.stepExecutions.at(-1);
  const isWaiting =
    last?.status === 'WAITING' && (last.stepType === 'DELAY' || last.stepType === 'WAIT_FOR_EVENT') && isActive;
  const isWaitForEvent = last?.stepType === 'WAIT_FOR_EVENT';
  return (
    <>
      {isActive && (
        <Button look="danger" onClick={() => setAsked('cancel')}>
          {words.cancel}
        </Button>
      )}
      {isWaiting && (
        <Button look="primary" onClick={() => setAsked('skip')}>
          {words.skip}
        </Button>
      )}
      <Question
        title={words.skipTitle}
        about={
          <>
            <p>{words.skipAbout}</p>
            {isWaitForEvent && <p>{words.skipTimeout}</p>}
          </>
        }
        action={words.skip}
        isDanger={false}
        isOpen={asked === 'skip'}
        isBusy={skip.isPending}
        error={skip.error}
        onClose={() => setAsked(null)}
        onConfirm={() => skip.mutate(path)}
      />
      <Question
        title={words.cancelTitle}
        about={words.cancelAbout}
        action={words.cancel}
        dismissal={common.dontCancel}
        isOpen={asked === 'cancel'}
        isBusy={cancel.isPending}
        error={cancel.error}
        onClose={() => setAsked(null)}
        onConfirm={() => cancel.mutate(path)}
      />
    </>
  );
}
