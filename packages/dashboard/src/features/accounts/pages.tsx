/** The pages before the sign-in: sign-in, sign-up, password reset, and email verification. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { $api } from '../../api/client.js';
import { errorOf, fieldErrors, queryClient } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { readForm } from '../../ui/form.js';
import { Skeleton } from '../../ui/states.js';
import { useWords } from '../../words/words.js';
import { AccountLayout, Notice, Problem } from './layout.js';

/** The message of an error that belongs to no field of the form. */
function FormProblem({ error, fields }: { error: unknown; fields: string[] }) {
  const { errors } = useWords();
  if (!error) return null;
  const named = fieldErrors(error);
  if (fields.some((field) => field in named)) return null;
  return <Problem>{errorOf(error)?.message ?? errors.offline}</Problem>;
}

const PROVIDERS = { google: 'Google', github: 'GitHub' } as const;
type Provider = keyof typeof PROVIDERS;
const PROVIDER_NAMES: Provider[] = ['google', 'github'];

/** Buttons for the providers that this installation offers. */
function ProviderButtons() {
  const { accounts } = useWords();
  const { data } = $api.useQuery('get', '/config');
  const offered = PROVIDER_NAMES.filter((name) => data?.features.authProviders[name]);
  if (offered.length === 0) return null;
  return (
    <div className="grid gap-3">
      {offered.map((name) => (
        <a
          key={name}
          href={`/auth/${name}`}
          className="rounded-lg border border-control px-3.5 py-2 text-center font-medium hover:bg-raised"
        >
          {accounts.with(PROVIDERS[name])}
        </a>
      ))}
      <div className="text-center text-muted">{accounts.or}</div>
    </div>
  );
}

const CREDENTIALS = ['email', 'password'];

function CredentialFields({ error, isNew }: { error: unknown; isNew: boolean }) {
  const { accounts } = useWords();
  const named = fieldErrors(error);
  return (
    <>
      <TextField
        label={accounts.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        error={named.email}
      />
      <TextField
        label={accounts.password}
        name="password"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        required
        hint={isNew ? accounts.passwordHint : undefined}
        error={named.password}
      />
    </>
  );
}

const loginRoute = getRouteApi('/auth/login');

export function LoginPage() {
  const { accounts } = useWords();
  const { error, provider, next } = loginRoute.useSearch();
  const login = $api.useMutation('post', '/auth/login');
  const navigate = useNavigate();
  const enter = async (): Promise<void> => {
    queryClient.clear();
    await (next === undefined ? navigate({ to: '/' }) : navigate({ href: `/app${next}` }));
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { email = '', password = '' } = readForm(event);
    login.mutate({ body: { email, password } }, { onSuccess: () => void enter() });
  };
  return (
    <AccountLayout title={accounts.signInTitle}>
      {error !== undefined && <Problem>{providerProblem(accounts.providerErrors, error, provider)}</Problem>}
      <ProviderButtons />
      <form onSubmit={submit} className="grid gap-4">
        <CredentialFields error={login.error} isNew={false} />
        <FormProblem error={login.error} fields={CREDENTIALS} />
        <Button type="submit" look="primary" isBusy={login.isPending}>
          {accounts.signIn}
        </Button>
      </form>
      <p className="flex flex-wrap justify-between gap-2">
        <Link to="/auth/forgot-password" className="text-accent underline">
          {accounts.forgot}
        </Link>
        <span>
          {accounts.noAccount}{' '}
          <Link to="/auth/signup" className="text-accent underline">
            {accounts.signUp}
          </Link>
        </span>
      </p>
    </AccountLayout>
  );
}

type ProviderErrors = ReturnType<typeof useWords>['accounts']['providerErrors'];

function providerProblem(words: ProviderErrors, error: string, provider = ''): string {
  const name = PROVIDER_NAMES.find((one) => one === provider);
  const isKnown = (code: string): code is keyof ProviderErrors => Object.hasOwn(words, code);
  return words[isKnown(error) ? error : 'other'](name ? PROVIDERS[name] : provider);
}

export function SignupPage() {
  const { accounts } = useWords();
  const config = $api.useQuery('get', '/config');
  const signup = $api.useMutation('post', '/auth/signup');
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { email = '', password = '' } = readForm(event);
    const enter = async (): Promise<void> => {
      queryClient.clear();
      await navigate({ to: '/' });
    };
    signup.mutate({ body: { email, password } }, { onSuccess: () => void enter() });
  };
  const isClosed = config.data?.features.signups === false;
  return (
    <AccountLayout title={accounts.signUpTitle}>
      {config.isPending && <Skeleton />}
      {isClosed && <Problem>{accounts.signUpClosed}</Problem>}
      {!config.isPending && !isClosed && (
        <>
          <ProviderButtons />
          <form onSubmit={submit} className="grid gap-4">
            <CredentialFields error={signup.error} isNew />
            <FormProblem error={signup.error} fields={CREDENTIALS} />
            <Button type="submit" look="primary" isBusy={signup.isPending}>
              {accounts.signUp}
            </Button>
          </form>
        </>
      )}
      <BackToLogin />
    </AccountLayout>
  );
}

function BackToLogin() {
  const { accounts } = useWords();
  return (
    <p>
      {accounts.haveAccount}{' '}
      <Link to="/auth/login" className="text-accent underline">
        {accounts.signIn}
      </Link>
    </p>
  );
}

export function ForgotPage() {
  const { accounts } = useWords();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const request = $api.useMutation('post', '/auth/request-password-reset');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { email = '' } = readForm(event);
    request.mutate({ body: { email } }, { onSuccess: () => setSentTo(email) });
  };
  return (
    <AccountLayout title={accounts.forgotTitle}>
      {sentTo === null ? (
        <form onSubmit={submit} className="grid gap-4">
          <p className="text-muted">{accounts.forgotIntro}</p>
          <TextField
            label={accounts.email}
            name="email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            error={fieldErrors(request.error).email}
          />
          <FormProblem error={request.error} fields={['email']} />
          <Button type="submit" look="primary" isBusy={request.isPending}>
            {accounts.forgotSend}
          </Button>
        </form>
      ) : (
        <Notice>{accounts.forgotSent(sentTo)}</Notice>
      )}
      <BackToLogin />
    </AccountLayout>
  );
}

const resetRoute = getRouteApi('/auth/reset-password');

export function ResetPage() {
  const { accounts } = useWords();
  const { token } = resetRoute.useSearch();
  const reset = $api.useMutation('post', '/auth/reset-password');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { password = '' } = readForm(event);
    reset.mutate({ body: { token: token ?? '', password } });
  };
  return (
    <TokenPage title={accounts.resetTitle} token={token} done={reset.isSuccess ? accounts.resetDone : null}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label={accounts.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          autoFocus
          hint={accounts.passwordHint}
          error={fieldErrors(reset.error).password}
        />
        <FormProblem error={reset.error} fields={['password']} />
        <Button type="submit" look="primary" isBusy={reset.isPending}>
          {accounts.resetSave}
        </Button>
      </form>
    </TokenPage>
  );
}

const verifyRoute = getRouteApi('/auth/verify-email');

/** Confirms on a click, because mail filters open links. */
export function VerifyPage() {
  const { accounts } = useWords();
  const { token } = verifyRoute.useSearch();
  const verify = $api.useMutation('post', '/auth/verify-email');
  return (
    <TokenPage title={accounts.verifyTitle} token={token} done={verify.isSuccess ? accounts.verifyDone : null}>
      <FormProblem error={verify.error} fields={[]} />
      <Button look="primary" isBusy={verify.isPending} onClick={() => verify.mutate({ body: { token: token ?? '' } })}>
        {accounts.verifyButton}
      </Button>
    </TokenPage>
  );
}

interface TokenPageProps {
  title: string;
  /** The token of the link in the email. */
  token: string | undefined;
  /** The message of success; null before it. */
  done: string | null;
  children: ReactNode;
}

function TokenPage({ title, token, done, children }: TokenPageProps) {
  const { accounts } = useWords();
  return (
    <AccountLayout title={title}>
      {token === undefined ? <Problem>{accounts.linkIncomplete}</Problem> : done ? <Notice>{done}</Notice> : children}
      <p>
        <Link to="/auth/login" className="text-accent underline">
          {accounts.signIn}
        </Link>
      </p>
    </AccountLayout>
  );
}
