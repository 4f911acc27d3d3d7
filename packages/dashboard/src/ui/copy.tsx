import { useState } from 'react';
import { useWords } from '../words/words.js';
import { Button } from './button.js';

/** A value in one line with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { common } = useWords();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <div className="grid gap-1">
      <span className="font-medium">{label}</span>
      <div className="flex gap-2">
        <code className="min-w-0 flex-1 overflow-x-auto rounded-lg border border-line bg-raised px-3 py-2 text-sm">
          {value}
        </code>
        <Button onClick={() => void copy()} aria-label={`${common.copy}: ${label}`}>
          {isCopied ? common.copied : common.copy}
        </Button>
      </div>
      <span role="status" className="sr-only">
        {isCopied ? common.copied : ''}
      </span>
    </div>
  );
}
