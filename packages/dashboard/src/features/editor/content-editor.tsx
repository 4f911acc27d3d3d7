/** The editor of an email's content, with its preview and its problems. Templates and campaigns use it. */
import { lazy, Suspense, useRef, useState } from 'react';
import { useProject } from '../../api/project.js';
import { TextField } from '../../ui/field.js';
import { Menu } from '../../ui/menu.js';
import { Card } from '../../ui/page.js';
import { Skeleton } from '../../ui/states.js';
import type { BlocksHandle } from './blocks/blocks-editor.js';
import type { CodeHandle } from './code/code-editor.js';
import type { SampleContact } from './contact-picker.js';
import type { Content, Design, EmailType, Problem } from './content.js';
import { ModeSwitch } from './mode-switch.js';
import { Preview } from './preview.js';
import { ProblemsPanel } from './problems.js';
import { useRendering } from './rendering.js';
import { useImageUpload } from './uploads.js';
import { useVariables } from './variables.js';
import { useEditorWords } from './words.js';

// Each editor is a chunk of its own, which loads when a content needs it.
const CodeEditor = lazy(async () => ({ default: (await import('./code/code-editor.js')).CodeEditor }));
const BlocksEditor = lazy(async () => ({ default: (await import('./blocks/blocks-editor.js')).BlocksEditor }));

export interface ContentEditorProps {
  /** The fields of the template or campaign: `subject`, `preheader`, `body`, `editor`, `design`. */
  content: Content;
  /**
   * Receives the changed fields, at each key. `useAutosave` saves them. A change of the editor comes as
   * `{ editor, design, body }`; with `blocks`, the server writes the body from the design.
   */
  onChange: (change: Partial<Content>) => void;
  /** The problems that the API answered with. They are shown until the first rendering, which has newer ones. */
  problems: readonly Problem[];
  /** What the API refused, by field: `fieldErrors(save.error)`. */
  errors?: Readonly<Record<string, string>>;
  /** The type and the sender are parts of the rendering. */
  type: EmailType;
  from: string | null;
  /** The contact whose data the preview shows. */
  contact: SampleContact | null;
  onContactChange: (contact: SampleContact | null) => void;
  isReadOnly?: boolean;
  /** Leads to the field of the sender, which is outside of the editor. */
  onGoToSender: () => void;
}

/**
 * Edits the subject, the preheader, and the content as blocks or as code, and shows the server's rendering of it.
 *
 * The editors keep the text that is typed. To replace the content from outside, such as after a conflict, give the
 * component another `key` (`revision` of `useAutosave`).
 */
export function ContentEditor({
  content,
  onChange,
  problems: storedProblems,
  errors = {},
  type,
  from,
  contact,
  onContactChange,
  isReadOnly = false,
  onGoToSender,
}: ContentEditorProps) {
  const words = useEditorWords();
  const { project } = useProject();
  const variables = useVariables();
  const { upload, message } = useImageUpload();
  const state = useRendering({ content, type, from, contactId: contact?.id ?? null });
  const problems = state.rendering?.problems ?? storedProblems;
  const code = useRef<CodeHandle>(null);
  const blocks = useRef<BlocksHandle>(null);
  const fields = useRef<HTMLDivElement>(null);
  // Counts replaced contents, as a key for the editors.
  const [replaced, setReplaced] = useState(0);
  const [formerDesign, setFormerDesign] = useState<Design | null>(null);

  const replace = (change: Partial<Content>): void => {
    if (content.editor === 'blocks') setFormerDesign(content.design);
    onChange(change);
    setReplaced((count) => count + 1);
  };
  const goTo = ({ path = '', line, column }: Problem): void => {
    if (path === 'subject' || path === 'preheader')
      fields.current?.querySelector<HTMLInputElement>(`[name="${path}"]`)?.focus();
    else if (path === 'from') onGoToSender();
    else if (content.editor === 'blocks') blocks.current?.goTo(path.replace(/^design\.?/, ''));
    else code.current?.goTo(line ?? 1, column);
  };
  const hasPlace = ({ path = '', line }: Problem): boolean =>
    ['subject', 'preheader', 'from'].includes(path) || /^design\.blocks\.\d/.test(path) || line !== undefined;

  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div ref={fields} className="grid min-w-0 gap-4">
        <Card>
          <TextField
            label={words.subject}
            name="subject"
            value={content.subject}
            onChange={({ target }) => onChange({ subject: target.value })}
            disabled={isReadOnly}
            autoComplete="off"
            error={errors.subject}
          />
          <TextField
            label={words.preheader}
            name="preheader"
            hint={words.preheaderHint}
            value={content.preheader}
            onChange={({ target }) => onChange({ preheader: target.value })}
            maxLength={255}
            disabled={isReadOnly}
            autoComplete="off"
            error={errors.preheader}
          />
        </Card>
        <Card
          title={words.content}
          actions={
            <>
              {content.editor === 'html' && !isReadOnly && (
                <Menu
                  actions={variables.map((name) => ({
                    label: name,
                    onSelect: () => code.current?.insert(`{{ ${name} }}`),
                  }))}
                >
                  {words.variables}
                </Menu>
              )}
              {!isReadOnly && (
                <ModeSwitch content={content} project={project} formerDesign={formerDesign} onReplace={replace} />
              )}
            </>
          }
        >
          <p role="status" className={message === '' ? 'sr-only' : 'text-muted'}>
            {message}
          </p>
          {(errors.body ?? errors.design) && <p className="text-danger">{errors.body ?? errors.design}</p>}
          <Suspense fallback={<Skeleton lines={10} />}>
            {content.editor === 'html' ? (
              <CodeEditor
                key={replaced}
                ref={code}
                label={words.codeLabel}
                value={content.body}
                onChange={(body) => onChange({ body })}
                problems={problems}
                variables={variables}
                upload={upload}
                isReadOnly={isReadOnly}
              />
            ) : (
              <BlocksEditor
                key={replaced}
                ref={blocks}
                design={content.design}
                onChange={(design) => onChange({ design })}
                variables={variables}
                upload={upload}
                isReadOnly={isReadOnly}
              />
            )}
          </Suspense>
        </Card>
      </div>
      <div className="grid min-w-0 gap-4 xl:sticky xl:top-18">
        <ProblemsPanel problems={problems} onGoTo={goTo} hasPlace={hasPlace} />
        <Preview state={state} contact={contact} onContactChange={onContactChange} />
      </div>
    </div>
  );
}
