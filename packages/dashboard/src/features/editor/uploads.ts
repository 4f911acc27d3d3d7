/** Uploads images that are pasted or dropped. */
import { useState } from 'react';
import { form } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { errorOf, resultOf } from '../../api/query.js';
import { useEditorWords } from './words.js';

export interface ImageUpload {
  /** Resolves to the URL of the image, and to null if the server refused it; `message` then says why. */
  upload: (file: File) => Promise<string | null>;
  /** What happens, in a sentence. Empty most of the time. */
  message: string;
}

export function useImageUpload(): ImageUpload {
  const { api } = useProject();
  const words = useEditorWords();
  const [message, setMessage] = useState('');
  return {
    message,
    async upload(file) {
      setMessage(words.uploading(file.name));
      try {
        const { url } = resultOf(await api.POST('/uploads/image', { body: { image: file }, bodySerializer: form }));
        setMessage('');
        return url;
      } catch (error) {
        setMessage([words.uploadFailed(file.name), errorOf(error)?.message].join(' '));
        return null;
      }
    },
  };
}

/** Returns the images among pasted or dropped files. */
export const imagesOf = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
