/** Values to copy. */
import { useState } from 'react';
import { useWords } from '../words/words.js';
import { Button } from './button.js';
import { CheckIcon, CopyIcon } from './icons.js';

interface CopyButtonProps {
  /** What it copies: "Public key". */
  label: string;
  value: string;
  /** Whether the button shows the label; otherwise, it says "Copy". */
  hasLabel?: boolean;
}

/** A button that copies a value. */
export function CopyButton({ label, value, hasLabel = false }: CopyButtonProps) {
  const { common } = useWords();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <>
      <Button onClick={() => void copy()} aria-label={hasLabel ? undefined : `${common.copy}: ${label}`}>
        {isCopied ? <CheckIcon /> : <CopyIcon />}
        {isCopied ? common.copied : hasLabel ? label : common.copy}
      </Button>
      <span role="status" className="sr-only">
        {isCopied ? common.copied : ''}
      </span>
    </>
  );
}

/** A value in one line with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      <span className="font-medium">{label}</span>
      <div className="flex gap-2">
        <code
          tabIndex={0}
          role="group"
          aria-label={label}
          className="min-w-0 flex-1 overflow-x-auto rounded-lg border border-line bg-raised px-3 py-2 text-sm whitespace-nowrap"
        >
          {value}
        </code>
        <CopyButton label={label} value={value} />
      </div>
    </div>
  );
}
