/** The content of a version: its own HTML, if it has some, and its preview. */
import { lazy, Suspense, useRef, useState } from 'react';
import { CheckboxField } from '../../ui/field.js';
import { Skeleton } from '../../ui/states.js';
import type { SampleContact } from '../editor/contact-picker.js';
import { Preview } from '../editor/preview.js';
import { useRendering } from '../editor/rendering.js';
import { useImageUpload } from '../editor/uploads.js';
import { useVariables } from '../editor/variables.js';
import type { CampaignFields, Variant } from './model.js';
import { useVariantWords } from './variant-words.js';

const CodeEditor = lazy(async () => ({ default: (await import('../editor/code/code-editor.js')).CodeEditor }));

export interface VariantContentProps {
  variant: Variant;
  fields: CampaignFields;
  /** The HTML of the campaign, as it is saved. */
  campaignBody: string;
  /** The contact whose data the preview shows. */
  contact: SampleContact | null;
  onContactChange: (contact: SampleContact | null) => void;
  error: string | undefined;
  onChange: (change: (variant: Variant) => Variant) => void;
}

export function VariantContent({ campaignBody, error, onChange, ...shown }: VariantContentProps) {
  const words = useVariantWords();
  const variables = useVariables();
  const { upload, message } = useImageUpload();
  const [isOpen, setOpen] = useState(false);
  const { variant } = shown;
  const name = variant.id.toUpperCase();
  // What comes back when the field is checked again.
  const latest = useRef(variant.body ?? campaignBody);
  const setBody = (body: string): void => {
    latest.current = body;
    onChange((before) => ({ ...before, body }));
  };
  return (
    <>
      <CheckboxField
        label={words.ownBody}
        name={`variants.${variant.id}.ownBody`}
        hint={words.ownBodyHint}
        checked={variant.body !== undefined}
        onChange={(isOn) => {
          if (isOn) setBody(latest.current === '' ? campaignBody : latest.current);
          else onChange(({ body: _body, ...others }) => others);
        }}
      />
      {variant.body !== undefined && (
        <>
          {message !== '' && <p role="status">{message}</p>}
          {error !== undefined && <p className="text-danger">{error}</p>}
          <Suspense fallback={<Skeleton lines={6} />}>
            <CodeEditor
              label={words.bodyLabel(name)}
              value={variant.body}
              onChange={setBody}
              problems={[]}
              variables={variables}
              upload={upload}
              isReadOnly={false}
            />
          </Suspense>
        </>
      )}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="cursor-pointer text-accent">{words.preview(name)}</summary>
        {isOpen && <VariantPreview {...shown} />}
      </details>
    </>
  );
}

function VariantPreview({
  variant: { id, subject, preheader, body, from },
  fields,
  contact,
  onContactChange,
}: Pick<VariantContentProps, 'variant' | 'fields' | 'contact' | 'onContactChange'>) {
  const words = useVariantWords();
  const content = {
    ...fields,
    subject: subject ?? fields.subject,
    preheader: preheader ?? fields.preheader,
    ...(body !== undefined && { body, editor: 'html' as const, design: null }),
  };
  const state = useRendering({ content, type: fields.type, from: from ?? fields.from, contactId: contact?.id ?? null });
  return (
    <Preview
      title={words.preview(id.toUpperCase())}
      state={state}
      contact={contact}
      onContactChange={onContactChange}
    />
  );
}
