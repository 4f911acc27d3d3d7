/** The content as a contact would get it: on a computer, on a phone, dark, and as text. */
import { useId } from 'react';
import { EmailFrame } from '../../ui/email-frame.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { useFormat } from '../../words/format.js';
import { ContactPicker, type SampleContact } from './contact-picker.js';
import type { RenderState } from './rendering.js';
import { useEditorWords } from './words.js';

const PHONE_WIDTH = 375;
/** Gmail cuts longer emails off. */
const CLIP_BYTES = 102 * 1024;

interface Props {
  /** Distinguishes several previews on a page. */
  title?: string;
  state: RenderState;
  contact: SampleContact | null;
  onContactChange: (contact: SampleContact | null) => void;
}

export function Preview({ title, state: { rendering, error, isPending }, contact, onContactChange }: Props) {
  const { preview } = useEditorWords();
  const label = title ?? preview.title;
  const html = rendering?.html ?? null;
  const frame = (name: string, options: { width?: number; isDark?: boolean } = {}) =>
    html === null ? (
      <p className="text-muted">{preview.failed}</p>
    ) : (
      // The user's own content, so its images are loaded.
      <EmailFrame title={preview.frame(name)} html={html} hasImages {...options} />
    );
  return (
    <Card title={label}>
      <ContactPicker label={preview.contact} hint={preview.contactHint} contact={contact} onChange={onContactChange} />
      {error !== null && <ErrorState error={error} />}
      {!rendering && error === null && <Skeleton lines={6} />}
      {rendering && (
        <div aria-busy={isPending} className="grid min-w-0 gap-3">
          <p className="min-w-0 break-words">
            <span className="text-muted">{preview.subject}: </span>
            <strong>{rendering.subject ?? preview.noSubject}</strong>
          </p>
          <Size bytes={rendering.bytes} />
          <Tabs
            label={label}
            tabs={[
              { id: 'desktop', label: preview.desktop, content: frame(preview.desktop) },
              { id: 'phone', label: preview.phone, content: frame(preview.phone, { width: PHONE_WIDTH }) },
              { id: 'dark', label: preview.dark, content: frame(preview.dark, { isDark: true }) },
              {
                id: 'text',
                label: preview.text,
                content: (
                  <pre
                    tabIndex={0}
                    role="group"
                    aria-label={preview.frame(preview.text)}
                    className="max-h-160 overflow-auto rounded-lg border border-line bg-raised p-3 text-sm break-words whitespace-pre-wrap"
                  >
                    {rendering.text ?? ''}
                  </pre>
                ),
              },
            ]}
          />
        </div>
      )}
    </Card>
  );
}

function Size({ bytes }: { bytes: number | null }) {
  const { preview } = useEditorWords();
  const format = useFormat();
  const id = useId();
  if (bytes === null) return null;
  return (
    <div className="grid gap-1 text-sm">
      <meter
        aria-label={preview.sizeLabel}
        aria-describedby={id}
        className="h-2 w-full"
        min={0}
        max={CLIP_BYTES}
        high={CLIP_BYTES - 1}
        optimum={0}
        value={Math.min(bytes, CLIP_BYTES)}
      />
      <span id={id} className={bytes > CLIP_BYTES ? 'text-danger' : 'text-muted'}>
        {preview.size(format.bytes(bytes), format.bytes(CLIP_BYTES))}
      </span>
    </div>
  );
}
