/** Who is signed in, and the question for the password when the session has ended. */
import { Dialog } from '@base-ui/react/dialog';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { $api, api, onSessionEnd } from '../../api/client.js';
import { forgetProjects } from '../../api/project.js';
import { fieldErrors, errorOf, queryClient, statusOf } from '../../api/query.js';
import { forgetRecentPages } from '../../app/recent.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { useWords } from '../../words/words.js';

const ACCOUNT = $api.queryOptions('get', '/users/@me');
const PROJECTS = $api.queryOptions('get', '/users/@me/projects');

/** Returns the signed-in user, or null. */
export async function loadAccount() {
  try {
    return await queryClient.ensureQueryData(ACCOUNT);
  } catch (error) {
    if (statusOf(error) === 401) return null;
    throw error;
  }
}

export const loadProjects = () => queryClient.ensureQueryData(PROJECTS);

/** Reads the projects again after a change. */
export const reloadProjects = () => queryClient.fetchQuery({ ...PROJECTS, staleTime: 0 });

export const useAccount = () => useSuspenseQuery(ACCOUNT, queryClient).data;
export const useProjects = () => useSuspenseQuery(PROJECTS, queryClient).data;

/** Forgets everything that the last user saw. */
export async function signOut(): Promise<void> {
  onSessionEnd(null);
  await api.POST('/auth/logout', {});
  queryClient.clear();
  forgetProjects();
  forgetRecentPages();
}

interface Question {
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** Asks for the password in a dialog over the page when a request finds that the session has ended. */
export function SessionGuard() {
  const { accounts } = useWords();
  const { email } = useAccount();
  const [question, setQuestion] = useState<Question | null>(null);
  const login = $api.useMutation('post', '/auth/login');
  const password = useRef<HTMLInputElement>(null);

  useEffect(() => {
    onSessionEnd(() => new Promise<void>((resolve, reject) => setQuestion({ resolve, reject })));
    return () => onSessionEnd(null);
  }, []);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    login.mutate(
      { body: { email, password: password.current?.value ?? '' } },
      {
        onSuccess: () => {
          question?.resolve();
          setQuestion(null);
        },
      },
    );
  };
  const leave = (): void => {
    question?.reject(new Error('The user left.'));
    location.assign('/app/auth/login');
  };

  return (
    <Dialog.Root open={question !== null} onOpenChange={(isOpen) => !isOpen && leave()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-black/50" />
        <Dialog.Popup
          initialFocus={password}
          className="fixed inset-x-4 top-[15vh] mx-auto max-w-md rounded-xl border border-line bg-surface p-6"
        >
          <form onSubmit={submit} className="grid gap-4">
            <Dialog.Title className="text-lg font-semibold">{accounts.expiredTitle}</Dialog.Title>
            <Dialog.Description className="text-muted">{accounts.expiredIntro(email)}</Dialog.Description>
            <input type="hidden" autoComplete="username" value={email} readOnly />
            <TextField
              ref={password}
              label={accounts.password}
              name="password"
              type="password"
              autoComplete="current-password"
              required
              error={fieldErrors(login.error).password ?? errorOf(login.error)?.message}
            />
            <div className="flex justify-end gap-2">
              <Dialog.Close render={<Button look="quiet">{accounts.signOut}</Button>} />
              <Button type="submit" look="primary" isBusy={login.isPending}>
                {accounts.continue}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
