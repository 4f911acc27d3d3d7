/** Sends a test of a campaign to an address, with the data of any contact. */
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { $api as $accountApi } from '../../api/client.js';
import { useProject } from '../../api/project.js';
import { fieldErrors, queryClient } from '../../api/query.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { notify } from '../../ui/toast.js';
import { ContactPicker, type SampleContact } from '../editor/contact-picker.js';
import { useCampaignWords } from './words.js';

interface Props {
  id: string;
  /** The contact of the preview. */
  contact: SampleContact | null;
  flush: () => Promise<boolean>;
}

export function TestSend({ id, contact: previewed, flush }: Props) {
  const { test: words } = useCampaignWords();
  const { $api } = useProject();
  const { data: account } = useQuery($accountApi.queryOptions('get', '/users/@me'), queryClient);
  const [contact, setContact] = useState(previewed);
  const [isUnsaved, setUnsaved] = useState(false);
  const test = $api.useMutation('post', '/campaigns/{id}/test', {
    onSuccess: ({ email }) => notify(words.sent(email)),
  });
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    const { email = '' } = readForm(event);
    const isSaved = await flush();
    setUnsaved(!isSaved);
    if (isSaved) test.mutate({ params: { path: { id } }, body: { email, ...(contact && { contactId: contact.id }) } });
  };
  return (
    <Card title={words.title}>
      <p className="text-muted">{words.about}</p>
      <form key={account?.email} onSubmit={(event) => void submit(event)} className="grid gap-4">
        <TextField
          label={words.email}
          name="email"
          type="email"
          required
          defaultValue={account?.email ?? ''}
          error={fieldErrors(test.error).email}
        />
        <ContactPicker label={words.contact} hint={words.contactHint} contact={contact} onChange={setContact} />
        {isUnsaved && <Note tone="danger">{words.unsaved}</Note>}
        <FormProblem error={test.error} fields={['email']} />
        <div>
          <Button type="submit" isBusy={test.isPending}>
            {words.action}
          </Button>
        </div>
      </form>
    </Card>
  );
}
