import type { Ref } from 'react';
import type { Design } from '../content.js';
import type { ImageUpload } from '../uploads.js';

export interface BlocksHandle {
  /** Selects the block of a path such as `blocks.2.columns.0.1.src`. */
  goTo: (path: string) => void;
}

interface Props {
  design: Design | null;
  onChange: (design: Design) => void;
  variables: readonly string[];
  upload: ImageUpload['upload'];
  isReadOnly: boolean;
  ref?: Ref<BlocksHandle>;
}

export function BlocksEditor({ design }: Props) {
  return <p>{design?.blocks.length}</p>;
}
