/** A search input that reports the text when the user pauses. What is typed is replaced only by a value of another origin. */
import { useEffect, useEffectEvent, useState } from 'react';
import { SearchIcon } from './icons.js';

const PAUSE_MS = 250;

interface Props {
  label: string;
  /** The current search, such as that of the URL. */
  value: string;
  /** Receives the text without spaces at its ends. The value becomes this text, but maybe after further letters. */
  onSearch: (text: string) => void;
}

export function SearchField({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // Reported texts that have not become the value yet.
  const [reported, setReported] = useState<string[]>([]);
  if (known !== value) {
    setKnown(value);
    const index = reported.indexOf(value);
    setReported(index === -1 ? [] : reported.slice(index + 1));
    // The user went back, or cleared the filters.
    if (index === -1) setText(value);
  }
  const searched = text.trim();
  const report = useEffectEvent(() => {
    setReported([...reported, searched]);
    onSearch(searched);
  });
  useEffect(() => {
    if (searched === value) return;
    const timer = setTimeout(() => report(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [searched, value]);
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
