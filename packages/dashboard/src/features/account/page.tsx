/** The user's own account: address, password, preferences, and sessions. */
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { $api, api } from '../../api/client.js';
import { fieldErrors, queryClient, resultOf } from '../../api/query.js';
import { LanguageSelect, ThemeSelect } from '../../app/preferences.js';
import { ShortcutSwitch } from '../../app/shortcut-list.js';
import { Badge, Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { Card, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { useWords } from '../../words/words.js';
import { signOut, useAccount } from '../accounts/session.js';
import { useAccountWords } from './words.js';

const ACCOUNT_KEY = ['get', '/users/@me'];
const SESSIONS_KEY = ['get', '/users/@me/sessions'];

export function AccountPage() {
  const words = useAccountWords();
  const { email } = useAccount();
  return (
    <Page title={words.title} about={email}>
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
        <ChangeForm field="email" />
        <ChangeForm field="newPassword" />
        <Card title={words.preferences}>
          <div className="flex flex-wrap gap-3">
            <LanguageSelect />
            <ThemeSelect />
          </div>
          <ShortcutSwitch />
        </Card>
        <Sessions />
      </div>
    </Page>
  );
}

/** Changes the address or the password, each with the current password. */
function ChangeForm({ field }: { field: 'email' | 'newPassword' }) {
  const words = useAccountWords();
  const { accounts } = useWords();
  const account = useAccount();
  const [value, setValue] = useState('');
  const [currentPassword, setCurrent] = useState('');
  const change = $api.useMutation('patch', '/users/@me', {}, queryClient);
  const link = $api.useMutation('post', '/auth/request-password-reset', {}, queryClient);
  const named = fieldErrors(change.error);
  const { title, about, done } = words[field];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const finish = async (): Promise<void> => {
      setValue('');
      setCurrent('');
      await Promise.all([ACCOUNT_KEY, SESSIONS_KEY].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      notify(done);
    };
    change.mutate({ body: { currentPassword, [field]: value } }, { onSuccess: () => void finish() });
  };
  return (
    <Card title={title}>
      <p className="text-muted">{about}</p>
      <form onSubmit={submit} className="grid gap-3">
        <TextField
          label={field === 'email' ? words.newEmail : accounts.newPassword}
          name={field}
          type={field === 'email' ? 'email' : 'password'}
          autoComplete={field === 'email' ? 'email' : 'new-password'}
          required
          hint={field === 'email' ? undefined : accounts.passwordHint}
          value={value}
          onChange={({ target }) => setValue(target.value)}
          error={named[field]}
        />
        <TextField
          label={words.currentPassword}
          name={`current-${field}`}
          type="password"
          autoComplete="current-password"
          required
          value={currentPassword}
          onChange={({ target }) => setCurrent(target.value)}
          error={named.currentPassword}
        />
        <FormProblem error={change.error ?? link.error} fields={[field, 'currentPassword']} />
        {link.isSuccess && <Note tone="success">{accounts.forgotSent(account.email)}</Note>}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" isBusy={change.isPending}>
            {title}
          </Button>
          {field === 'newPassword' && (
            <Button
              look="quiet"
              isBusy={link.isPending}
              onClick={() => link.mutate({ body: { email: account.email } })}
            >
              {words.sendLink}
            </Button>
          )}
        </div>
      </form>
    </Card>
  );
}

function Sessions() {
  const words = useAccountWords();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const sessions = $api.useQuery('get', '/users/@me/sessions', {}, {}, queryClient);
  const end = $api.useMutation('delete', '/users/@me/sessions/{id}', {}, queryClient);
  const reload = () => queryClient.invalidateQueries({ queryKey: SESSIONS_KEY });
  const endAll = async (): Promise<void> => {
    setBusy(true);
    try {
      const open = resultOf(await api.GET('/users/@me/sessions'));
      const others = open.filter(({ current }) => !current);
      await Promise.all(
        others.map(async ({ id }) => {
          const ended = await api.DELETE('/users/@me/sessions/{id}', { params: { path: { id } } });
          // A session that has ended meanwhile needs no end.
          if (ended.response.status !== 404) resultOf(ended);
        }),
      );
      await signOut();
      await navigate({ to: '/auth/login' });
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={words.sessions}>
      {sessions.error && <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.isPending && <Skeleton />}
      <ul className="grid">
        {sessions.data?.map(({ id, device, ip, current, lastUsedAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-3 border-b border-line py-3 last:border-b-0">
            <div className="grid min-w-0 flex-1 basis-48">
              <span className="font-medium">{device ?? words.unknownDevice}</span>
              <span className="text-sm text-muted">
                {ip} · {words.lastUsed} <Ago time={lastUsedAt} />
              </span>
            </div>
            {current ? (
              <Badge tone="accent">{words.thisOne}</Badge>
            ) : (
              <Button
                aria-label={words.endOf(device ?? words.unknownDevice)}
                onClick={() => end.mutate({ params: { path: { id } } }, { onSettled: () => void reload() })}
              >
                {words.end}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <FormProblem error={end.error} />
      <Button look="danger" className="justify-self-start" onClick={() => setAsking(true)}>
        {words.endAll}
      </Button>
      <Question
        title={words.endAll}
        about={words.endAllAbout}
        action={words.endAll}
        isOpen={isAsking}
        isBusy={isBusy}
        error={error}
        onClose={() => setAsking(false)}
        onConfirm={() => void endAll()}
      />
    </Card>
  );
}
