/** A contact: its subscription, its fields, and everything that happened with it. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { errorOf, fieldErrors, statusOf } from '../../api/query.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { Card, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { At } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { ContactFields } from './data.js';
import { ContactEmails, ContactExecutions, Timeline } from './history.js';
import { CONTACTS_KEY } from './pages.js';
import { StatusBadge } from './table.js';
import { useContactWords } from './words.js';

type Contact = Schemas['Contact'];

const route = getRouteApi('/signed-in/projects/$projectId/contacts/$contactId');

export function ContactPage() {
  const words = useContactWords();
  const { $api, projectId } = useProject();
  const { contactId } = route.useParams();
  const init = { params: { path: { id: contactId } } };
  const { data: contact, error, refetch } = $api.useQuery('get', '/contacts/{id}', init);
  const back = (
    <Link to="/projects/$projectId/contacts" params={{ projectId }} className="text-accent underline">
      {words.back}
    </Link>
  );
  if (!contact)
    return (
      <Page title={words.title} back={back}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Page>
    );
  return (
    <Page
      title={contact.email}
      back={back}
      about={
        <span className="flex flex-wrap items-center gap-2">
          <StatusBadge contact={contact} />
          <span>
            {words.created} <At time={contact.createdAt} />
          </span>
          {contact.timezone !== null && <span>{contact.timezone}</span>}
        </span>
      }
      actions={<DeleteButton contact={contact} />}
    >
      <Suppression email={contact.email} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Tabs
          label={words.timeline}
          tabs={[
            { id: 'timeline', label: words.timeline, content: <Timeline contactId={contactId} /> },
            { id: 'emails', label: words.emails, content: <ContactEmails contactId={contactId} /> },
            { id: 'executions', label: words.executions, content: <ContactExecutions contactId={contactId} /> },
          ]}
        />
        <div className="grid min-w-0 gap-4 max-lg:order-first">
          <Subscription contact={contact} />
          <ContactFields contact={contact} />
        </div>
      </div>
    </Page>
  );
}

/** Returns what changes a contact, and writes the answer into the cache. */
export function useUpdateContact(contactId: string) {
  const words = useContactWords();
  const { $api, cache } = useProject();
  return $api.useMutation('patch', '/contacts/{id}', {
    async onSuccess(contact) {
      notify(words.saved);
      cache.setQueryData(['get', '/contacts/{id}', { params: { path: { id: contactId } } }], contact);
      await cache.invalidateQueries({ queryKey: CONTACTS_KEY });
    },
  });
}

function Subscription({ contact }: { contact: Contact }) {
  const words = useContactWords();
  const update = useUpdateContact(contact.id);
  const path = { params: { path: { id: contact.id } } };
  const snooze = (event: FormEvent<HTMLFormElement>): void => {
    const { until = '' } = readForm(event);
    update.mutate({ ...path, body: { snoozedUntil: new Date(`${until}T00:00:00`).toISOString() } });
  };
  const changeEmail = (event: FormEvent<HTMLFormElement>): void => {
    const { email = '' } = readForm(event);
    if (email !== contact.email) update.mutate({ ...path, body: { email } });
  };
  const named = fieldErrors(update.error);
  // A conflict names no field, but only the address can be in conflict.
  const emailError = named.email ?? (statusOf(update.error) === 409 ? errorOf(update.error)?.message : undefined);
  let action: ReactNode;
  if (contact.snoozedUntil !== null)
    action = (
      <>
        <span>
          {words.snoozedUntil} <At time={contact.snoozedUntil} />
        </span>
        <Button onClick={() => update.mutate({ ...path, body: { subscribed: true } })}>{words.endSnooze}</Button>
      </>
    );
  else
    action = (
      <Button onClick={() => update.mutate({ ...path, body: { subscribed: !contact.subscribed } })}>
        {contact.subscribed ? words.unsubscribe : words.subscribe}
      </Button>
    );
  return (
    <Card title={words.facts}>
      <form onSubmit={changeEmail} className="grid gap-2">
        <TextField
          key={contact.email}
          label={words.email}
          name="email"
          type="email"
          required
          defaultValue={contact.email}
          onBlur={({ currentTarget }) => currentTarget.form?.requestSubmit()}
          error={emailError}
        />
      </form>
      <div className="grid justify-items-start gap-2">{action}</div>
      <form onSubmit={snooze} className="flex flex-wrap items-end gap-2">
        <TextField label={words.snooze} name="until" type="date" required error={named.snoozedUntil} />
        <Button type="submit">{words.snooze}</Button>
      </form>
      {emailError === undefined && <FormProblem error={update.error} fields={['email', 'snoozedUntil']} />}
    </Card>
  );
}

/** Says that the address is suppressed, if it is. */
function Suppression({ email }: { email: string }) {
  const words = useContactWords();
  const { $api, projectId } = useProject();
  const { data } = $api.useQuery('get', '/suppressions', { params: { query: { search: email, limit: 10 } } });
  if (!data?.data.some((one) => one.email === email)) return null;
  return (
    <Note tone="warning">
      <span>{words.suppressed}</span>
      <Link
        to="/projects/$projectId/suppressions"
        params={{ projectId }}
        search={{ search: email }}
        className="justify-self-start underline"
      >
        {words.showSuppressions}
      </Link>
    </Note>
  );
}

function DeleteButton({ contact }: { contact: Contact }) {
  const words = useContactWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = $api.useMutation('delete', '/contacts/{id}', {
    async onSuccess() {
      notify(words.removed);
      await navigate({ to: '/projects/$projectId/contacts', params: { projectId }, search: {} });
      await cache.invalidateQueries({ queryKey: CONTACTS_KEY });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      <Question
        title={words.removeTitle(contact.email)}
        about={words.removeAbout}
        action={words.remove}
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate({ params: { path: { id: contact.id } } })}
      />
    </>
  );
}
