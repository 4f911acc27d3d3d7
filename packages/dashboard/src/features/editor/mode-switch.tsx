/** Switches between blocks and code. A dialog explains what the switch costs before anything changes. */
import { useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { Button } from '../../ui/button.js';
import { Dialog, Question } from '../../ui/dialog.js';
import { designOfHtml, EMPTY_DESIGN, type Content, type Design } from './content.js';
import { useEditorWords } from './words.js';

interface Props {
  content: Content;
  project: Schemas['Project'];
  /** The blocks before the last switch to code on this page. */
  formerDesign: Design | null;
  onReplace: (change: Partial<Content>) => void;
}

export function ModeSwitch({ content, project, formerDesign, onReplace }: Props) {
  const words = useEditorWords();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const other = content.editor === 'html' ? 'blocks' : 'html';
  const close = (): void => setAsking(false);

  const switchToCode = async (): Promise<void> => {
    setBusy(true);
    try {
      const body = content.design ? await writeHtml(content.design, project) : content.body;
      onReplace({ editor: 'html', design: null, body });
      close();
    } finally {
      setBusy(false);
    }
  };
  const switchToBlocks = (design: Design): void => {
    onReplace({ editor: 'blocks', design });
    close();
  };
  /** An empty content loses nothing, so it switches without a question. */
  const begin = (): void => {
    if (other === 'blocks' && content.body.trim() === '') switchToBlocks(formerDesign ?? EMPTY_DESIGN);
    else setAsking(true);
  };
  const choices = [
    { label: words.switchToBlocks.keep, about: words.switchToBlocks.keepAbout, design: designOfHtml(content.body) },
    ...(formerDesign
      ? [{ label: words.switchToBlocks.former, about: words.switchToBlocks.formerAbout, design: formerDesign }]
      : []),
    { label: words.switchToBlocks.empty, about: words.switchToBlocks.emptyAbout, design: EMPTY_DESIGN },
  ];

  return (
    <>
      <div role="group" aria-label={words.mode.label} className="inline-flex rounded-lg border border-control">
        {(['blocks', 'html'] as const).map((mode) => (
          <Button
            key={mode}
            look="quiet"
            aria-pressed={content.editor === mode}
            className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={content.editor === mode ? undefined : begin}
          >
            {words.mode[mode]}
          </Button>
        ))}
      </div>
      <Question
        title={words.switchToCode.title}
        about={words.switchToCode.about.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        action={words.switchToCode.action}
        isDanger={false}
        isOpen={isAsking && other === 'html'}
        isBusy={isBusy}
        onClose={close}
        onConfirm={() => void switchToCode()}
      />
      <Dialog
        title={words.switchToBlocks.title}
        about={words.switchToBlocks.about}
        isOpen={isAsking && other === 'blocks'}
        onClose={close}
      >
        <ul className="grid gap-3">
          {choices.map(({ label, about, design }) => (
            <li key={label} className="grid justify-items-start gap-1">
              <Button onClick={() => switchToBlocks(design)}>{label}</Button>
              <span className="text-sm text-muted">{about}</span>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}

/** Writes the HTML as the server does. */
async function writeHtml(
  design: Design,
  { name, brand, postalAddress, language }: Schemas['Project'],
): Promise<string> {
  const { toHtml } = await import('../../../../email-blocks/src/html/document.js');
  return toHtml(design, {
    name,
    logoUrl: brand?.logoUrl ?? null,
    color: brand?.color ?? null,
    postalAddress,
    language,
  });
}
