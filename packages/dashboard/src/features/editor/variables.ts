/** The variables that a content can print: the fields of the project's contacts. */
import { useMemo } from 'react';
import { useProject } from '../../api/project.js';

/** Names that cannot be written in a placeholder, such as those with quotes, are left out. */
const NAME = /^[\p{L}\p{N}_$@#?][\p{L}\p{N}\p{M}_$@#? -]*(?:\.[\p{L}\p{N}_$@#?][\p{L}\p{N}\p{M}_$@#? -]*)*$/u;
/** Always there, also without any contact. */
const BUILT_IN = ['email', 'unsubscribeUrl'];

export function useVariables(): string[] {
  const { $api } = useProject();
  const { data } = $api.useQuery('get', '/contacts/fields');
  return useMemo(
    () =>
      [...new Set([...BUILT_IN, ...(data?.fields ?? []).map(({ field }) => field)])].filter((name) => NAME.test(name)),
    [data],
  );
}
