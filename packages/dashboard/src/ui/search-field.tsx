/** A search input that reports the text when the user pauses. */
import { useEffect, useState } from 'react';
import { SearchIcon } from './icons.js';

const PAUSE_MS = 250;

interface Props {
  label: string;
  value: string;
  onSearch: (text: string) => void;
}

export function SearchField({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value);
  // The text of the URL changes when the user goes back, or clears the filters.
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSearch(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <label className="flex min-h-10 min-w-0 items-center gap-2 rounded-lg border border-control bg-surface px-3 focus-within:outline-3 focus-within:outline-offset-2 focus-within:outline-focus">
      <SearchIcon />
      <span className="sr-only">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="min-w-0 flex-1 bg-transparent outline-none"
      />
    </label>
  );
}
