/** Sends a test of a campaign to an address, with the data of any contact. */
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { $api as $accountApi } from '../../api/client.js';
import { useProject } from '../../api/project.js';
import { fieldErrors, queryClient } from '../../api/query.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { SelectField, TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { notify } from '../../ui/toast.js';
import { ContactPicker, type SampleContact } from '../editor/contact-picker.js';
import type { Variant } from './model.js';
import { useVariantWords } from './variant-words.js';
import { useCampaignWords } from './words.js';

interface Props {
  id: string;
  variants: readonly Variant[] | null;
  /** The contact of the preview. */
  contact: SampleContact | null;
  flush: () => Promise<boolean>;
}

export function TestSend({ id, variants, contact: previewed, flush }: Props) {
  const { test: words } = useCampaignWords();
  const { variant: nameOf } = useVariantWords();
  const { $api } = useProject();
  const { data: account } = useQuery($accountApi.queryOptions('get', '/users/@me'), queryClient);
  const [contact, setContact] = useState(previewed);
  const [chosen, setVariant] = useState<string | null>(null);
  const variant = variants?.find((one) => one.id === chosen)?.id ?? variants?.[0]?.id;
  const [isUnsaved, setUnsaved] = useState(false);
  const test = $api.useMutation('post', '/campaigns/{id}/test', {
    onSuccess: ({ email }) => notify(words.sent(email)),
  });
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    const { email = '' } = readForm(event);
    const isSaved = await flush();
    setUnsaved(!isSaved);
    if (!isSaved) return;
    test.mutate({
      params: { path: { id } },
      body: { email, ...(contact && { contactId: contact.id }), ...(variant !== undefined && { variant }) },
    });
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
        {variants && variant !== undefined && (
          <SelectField
            label={words.version}
            name="variant"
            value={variant}
            options={variants.map((one) => ({ value: one.id, label: nameOf(one.id.toUpperCase()) }))}
            onChange={setVariant}
          />
        )}
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
