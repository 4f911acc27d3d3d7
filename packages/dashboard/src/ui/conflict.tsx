/** Two people edited the same thing, and the other one saved first. Nothing is lost until the user chooses. */
import { useWords } from '../words/words.js';
import { Note } from './badge.js';
import { Button } from './button.js';

interface Props {
  /** Reads the other version, and gives up one's own. */
  onTheirs: () => void;
  /** Saves one's own version over the other one. */
  onMine: () => void;
}

export function Conflict({ onTheirs, onMine }: Props) {
  const { conflict } = useWords();
  return (
    <Note tone="warning">
      <strong>{conflict.title}</strong>
      <span>{conflict.about}</span>
      <span className="flex flex-wrap gap-2">
        <Button onClick={onTheirs}>{conflict.theirs}</Button>
        <Button look="danger" onClick={onMine}>
          {conflict.mine}
        </Button>
      </span>
    </Note>
  );
}
