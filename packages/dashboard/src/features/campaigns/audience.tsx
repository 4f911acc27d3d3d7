/** Who gets a campaign: all contacts, a segment, or those that match filters. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import { Note } from '../../ui/badge.js';
import { Figure, Figures } from '../../ui/figure.js';
import { SelectField } from '../../ui/field.js';
import { Card } from '../../ui/page.js';
import { ErrorState } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { ConditionBuilder } from '../conditions/builder.js';
import { useFields } from '../conditions/fields.js';
import { EMPTY_CONDITION, isEmpty, type ConditionDraft } from '../conditions/model.js';
import { usePreview } from '../conditions/preview.js';
import { sayCondition } from '../conditions/sentence.js';
import { useConditionWords } from '../conditions/words.js';
import { AUDIENCES, isChosen, isComplete, toAudience, type AudienceDraft, type CampaignFields } from './model.js';
import { OptionsField } from './options.js';
import { useCampaignWords } from './words.js';

interface Props {
  audience: AudienceDraft;
  type: CampaignFields['type'];
  errors: Readonly<Record<string, string>>;
  onChange: (audience: AudienceDraft) => void;
}

export function AudienceStep({ audience, type, errors, onChange }: Props) {
  const words = useCampaignWords().audience;
  const { $api, projectId } = useProject();
  const { data: segments } = $api.useQuery('get', '/segments');
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Card title={words.title}>
        <OptionsField
          label={words.title}
          name="audience"
          options={AUDIENCES.map((value) => ({ value, label: words.types[value], hint: words.hints[value] }))}
          value={audience.type}
          onChange={(value) => onChange({ ...audience, type: value })}
        />
        {audience.type === 'SEGMENT' && (
          <>
            <SelectField
              label={words.segment}
              name="segmentId"
              value={audience.segmentId ?? ''}
              options={[
                { value: '', label: words.noSegment },
                ...(segments ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={(id) => onChange({ ...audience, segmentId: id === '' ? null : id })}
              error={errors.segmentId}
            />
            {segments?.length === 0 && (
              <Link to="/projects/$projectId/segments/new" params={{ projectId }} className="text-accent underline">
                {words.createSegment}
              </Link>
            )}
          </>
        )}
        {audience.type === 'FILTERED' && (
          <Filters
            condition={audience.condition}
            errors={errors}
            onChange={(condition) => onChange({ ...audience, condition })}
          />
        )}
      </Card>
      <Counts audience={audience} type={type} />
    </div>
  );
}

interface FiltersProps {
  condition: ConditionDraft | null;
  errors: Readonly<Record<string, string>>;
  onChange: (condition: ConditionDraft) => void;
}

/** The filters as they are edited. They are saved when each of them is complete. */
function Filters({ condition, errors, onChange }: FiltersProps) {
  const words = useCampaignWords().audience;
  const conditionWords = useConditionWords();
  const fields = useFields();
  const [tree, setTree] = useState(condition ?? EMPTY_CONDITION);
  const preview = usePreview(tree);
  const named = Object.fromEntries(
    Object.entries(errors).map(([name, message]) => [name.replace(/^audienceCondition\./, ''), message]),
  );
  const change = (next: ConditionDraft): void => {
    setTree(next);
    if (isComplete(next)) onChange(next);
  };
  return (
    <div className="grid min-w-0 gap-3">
      <p className="text-muted">
        {isEmpty(tree) ? words.noFilter : sayCondition(tree, conditionWords, fields.segmentNames)}
      </p>
      <ConditionBuilder tree={tree} onChange={change} fields={fields} preview={preview} errors={named} />
      {!isEmpty(tree) && !isComplete(tree) && <Note tone="warning">{words.incomplete}</Note>}
    </div>
  );
}

/** Returns how many contacts an audience has, and how many of them get the campaign. */
export function useAudienceCount(audience: AudienceDraft, type: CampaignFields['type']) {
  const { api } = useProject();
  const { audienceType, ...rest } = toAudience(audience);
  return useQuery({
    queryKey: ['post', '/campaigns/audience', audienceType, rest, type],
    enabled: isChosen(audience),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      resultOf(
        await api.POST('/campaigns/audience', { body: { audienceType: audienceType ?? 'ALL', ...rest, type }, signal }),
      ),
  });
}

function Counts({ audience, type }: Pick<Props, 'audience' | 'type'>) {
  const words = useCampaignWords().audience;
  const format = useFormat();
  const { data, error, isFetching, refetch } = useAudienceCount(audience, type);
  const reachesAll = type === 'TRANSACTIONAL';
  return (
    <Card title={words.counts}>
      {!isChosen(audience) && <p className="text-muted">{words.choose}</p>}
      {isChosen(audience) && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isChosen(audience) && !error && !data && <p role="status">{words.counting}</p>}
      {isChosen(audience) && !error && data && (
        <div role="status" className={isFetching ? 'text-muted' : ''}>
          <Figures>
            <Figure label={words.willSend} value={format.number(data.willSend)} />
            <Figure label={words.matched} value={format.number(data.matched)} />
            <Figure label={words.unsubscribed} value={format.number(data.unsubscribed)} />
            {!reachesAll && (
              <Figure
                label={words.suppressed}
                value={format.number(data.matched - data.unsubscribed - data.willSend)}
              />
            )}
          </Figures>
        </div>
      )}
      <p className="text-sm text-muted">{reachesAll ? words.allReached : words.snapshot}</p>
    </Card>
  );
}
