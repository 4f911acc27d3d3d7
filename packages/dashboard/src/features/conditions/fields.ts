/** The fields that a condition can ask for, in groups. */
import { useMemo } from 'react';
import { EMAIL_EVENTS } from '../../../../../src/domain/conditions/tree.js';
import { useProject } from '../../api/project.js';
import type { ChoiceGroup } from '../../ui/choice-field.js';
import { useConditionWords } from './words.js';

const STANDARD = ['email', 'subscribed', 'createdAt', 'updatedAt'] as const;
const RECORDED = /^(email|contact|segment)\./;

export interface Fields {
  groups: ChoiceGroup[];
  /** Names of segments by id. */
  segmentNames: ReadonlyMap<string, string>;
}

/** Reads the project's fields, event names, and segments. @param except a segment that must not ask for itself */
export function useFields(except?: string): Fields {
  const { $api } = useProject();
  const words = useConditionWords();
  const { data: fields } = $api.useQuery('get', '/contacts/fields');
  const { data: events } = $api.useQuery('get', '/events/names');
  const { data: segments } = $api.useQuery('get', '/segments');
  return useMemo(() => {
    const others = (segments ?? []).filter(({ id }) => id !== except);
    const groups = [
      {
        value: words.fields.standard,
        items: STANDARD.map((value) => ({ value: value as string, label: words.fields[value] })),
      },
      {
        value: words.fields.data,
        items: (fields?.fields ?? [])
          .filter(({ field }) => field.startsWith('data.'))
          .map(({ field }) => ({ value: field, label: field.slice('data.'.length) })),
      },
      {
        value: words.fields.emails,
        items: EMAIL_EVENTS.map((name) => ({ value: `email.${name}`, label: words.fields[`email.${name}`] })),
      },
      {
        value: words.fields.events,
        items: (events?.eventNames ?? [])
          .filter((name) => !RECORDED.test(name))
          .map((name) => ({ value: `event.${name}`, label: name })),
      },
      {
        value: words.fields.segments,
        items: others.map(({ id, name }) => ({ value: `segment.${id}`, label: name })),
      },
    ];
    return {
      groups: groups.filter(({ items }) => items.length > 0),
      segmentNames: new Map((segments ?? []).map(({ id, name }) => [id, name])),
    };
  }, [fields, events, segments, words, except]);
}

/** Returns the names of the project's segments by id. @param isNeeded whether to read them */
export function useSegmentNames(isNeeded: boolean): ReadonlyMap<string, string> {
  const { $api } = useProject();
  const { data } = $api.useQuery('get', '/segments', {}, { enabled: isNeeded });
  return useMemo(() => new Map((data ?? []).map(({ id, name }) => [id, name])), [data]);
}
