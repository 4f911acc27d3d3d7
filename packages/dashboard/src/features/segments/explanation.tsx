/** Why a contact is in a segment, or is not: each filter, and what the contact has. */
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import { Badge, Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { readForm } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFields } from '../conditions/fields.js';
import { toDraft } from '../conditions/model.js';
import { sayCondition } from '../conditions/sentence.js';
import { useConditionWords } from '../conditions/words.js';
import { useSegmentWords } from './words.js';

type Explained = Schemas['ExplainedCondition'];

export function Explanation({ segment }: { segment: Schemas['Segment'] }) {
  const words = useSegmentWords();
  const [email, setEmail] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>): void => setEmail(readForm(event).email ?? '');
  return (
    <Card title={words.why}>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <div className="min-w-56 flex-1">
          <TextField label={words.whyEmail} name="email" type="email" required hint={words.whyAbout} />
        </div>
        <Button type="submit">{words.whyAsk}</Button>
      </form>
      {email !== '' && <Answer segment={segment} email={email} />}
    </Card>
  );
}

function Answer({ segment, email }: { segment: Schemas['Segment']; email: string }) {
  const words = useSegmentWords();
  const { api } = useProject();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['get', '/segments/{id}/explain', segment.id, email, segment.updatedAt],
    staleTime: 0,
    async queryFn() {
      const found = resultOf(await api.POST('/contacts/query', { body: { search: email, limit: 10 } }));
      const contact = found.data.find((one) => one.email === email.toLowerCase());
      if (!contact) return { explained: null };
      const params = { path: { id: segment.id }, query: { contactId: contact.id } };
      return { explained: resultOf(await api.GET('/segments/{id}/explain', { params })) };
    },
  });
  if (isPending) return <Skeleton lines={2} />;
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data?.explained) return <Note tone="warning">{words.unknownContact}</Note>;
  const { explained } = data;
  return (
    <div className="grid gap-3">
      <Note tone={explained.matches ? 'success' : 'warning'}>
        {explained.matches ? words.isIn(email) : words.isNotIn(email)}
      </Note>
      {segment.condition && <Groups explained={explained} condition={segment.condition} />}
    </div>
  );
}

function Groups({ explained, condition }: { explained: Explained; condition: Schemas['ConditionTree'] }) {
  const words = useSegmentWords();
  const conditionWords = useConditionWords();
  const { segmentNames } = useFields();
  return (
    <ul className="grid gap-2 border-s-2 border-line ps-3">
      {explained.groups.map(({ filters, conditions }, index) => {
        const group = condition.groups[index];
        return filters
          .map(({ path, matches, actual }, at) => {
            const filter = group?.filters?.[at];
            const said = filter
              ? sayCondition(toDraft({ logic: 'AND', groups: [{ filters: [filter] }] }), conditionWords, segmentNames)
              : path;
            return (
              <li key={path} className="flex flex-wrap items-center gap-2">
                <Badge tone={matches ? 'success' : 'neutral'}>{matches ? words.matches : words.matchesNot}</Badge>
                <span>{said}</span>
                <span className="text-sm text-muted">
                  {words.actual}: {actual === null ? words.nothing : JSON.stringify(actual)}
                </span>
              </li>
            );
          })
          .concat(
            conditions && group?.conditions ? (
              <li key={`nested ${index}`}>
                <Groups explained={conditions} condition={group.conditions} />
              </li>
            ) : (
              []
            ),
          );
      })}
    </ul>
  );
}
