/** The content as the server would send it. */
import { useEffect, useState } from 'react';
import { useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import type { Content, EmailType, Rendering } from './content.js';

const PAUSE_MS = 400;

interface RenderInput {
  content: Content;
  type: EmailType;
  from: string | null;
  contactId: string | null;
}

export interface RenderState {
  rendering: Rendering | null;
  error: unknown;
  isPending: boolean;
}

/** Renders a moment after the last change. A new change ends the request before it. */
export function useRendering({ content, type, from, contactId }: RenderInput): RenderState {
  const { api } = useProject();
  const [state, setState] = useState<RenderState>({ rendering: null, error: null, isPending: true });
  const { subject, preheader, body, editor, design } = content;
  const html = editor === 'html' ? body : null;
  const blocks = editor === 'blocks' ? design : null;
  useEffect(() => {
    const closing = new AbortController();
    setState((before) => ({ ...before, isPending: true }));
    const render = async (): Promise<void> => {
      try {
        const rendering = resultOf(
          await api.POST('/render', {
            body: {
              subject,
              preheader: preheader === '' ? null : preheader,
              ...(blocks ? { design: blocks } : { body: html }),
              type,
              from,
              ...(contactId !== null && { contactId }),
            },
            signal: closing.signal,
          }),
        );
        setState({ rendering, error: null, isPending: false });
      } catch (error) {
        if (!closing.signal.aborted) setState((before) => ({ ...before, error, isPending: false }));
      }
    };
    const timer = setTimeout(() => void render(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      closing.abort();
    };
  }, [api, subject, preheader, html, blocks, type, from, contactId]);
  return state;
}
