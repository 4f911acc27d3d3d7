/** An email to the user's own address, which needs no domain. */
import { useProject } from '../../api/project.js';
import { queryClient } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { FormProblem } from '../../ui/form.js';
import { SendIcon } from '../../ui/icons.js';
import { useHomeWords } from './words.js';

export function EmailToSelf() {
  const words = useHomeWords();
  const { $api } = useProject();
  // The frame of the pages has read it.
  const { data: account } = $api.useQuery('get', '/users/@me', undefined, undefined, queryClient);
  const { data: config } = $api.useQuery('get', '/config');
  const send = $api.useMutation('post', '/users/@me/test-email');
  if (!account) return null;
  const inbox = config?.links.inbox;
  return (
    <div className="grid gap-2 rounded-lg bg-raised p-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="min-w-0 flex-1 basis-64 break-words" role="status">
          {send.isSuccess ? words.selfSent(account.email) : words.selfAbout(account.email)}
        </span>
        <Button look={send.isSuccess ? 'plain' : 'primary'} isBusy={send.isPending} onClick={() => send.mutate({})}>
          <SendIcon />
          {send.isSuccess ? words.selfAgain : words.self}
        </Button>
      </div>
      {send.isSuccess && inbox && (
        <a href={inbox} className="justify-self-start text-accent underline">
          {words.inbox}
        </a>
      )}
      <FormProblem error={send.error} />
    </div>
  );
}
