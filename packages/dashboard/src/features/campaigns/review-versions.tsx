/** The versions of a variant test before it is sent: the subject and the sender of each, and its share. */
import { useId } from 'react';
import { useFormat } from '../../words/format.js';
import { senderOf, type CampaignFields, type Variant } from './model.js';
import { useVariantWords } from './variant-words.js';
import { useCampaignWords } from './words.js';

const FULL = 100;

interface Props {
  variants: readonly Variant[];
  /** The campaign's own fields count where a version has none. */
  fields: Pick<CampaignFields, 'subject' | 'from' | 'fromName' | 'test'>;
}

export function ReviewVersions({ variants, fields }: Props) {
  const words = useVariantWords();
  const campaign = useCampaignWords();
  const format = useFormat();
  const id = useId();
  const tested = (fields.test?.share ?? FULL) / FULL;
  const share = (weight: number): string => {
    const ofTest = weight / FULL;
    const ofAudience = format.percent(ofTest * tested);
    return tested === 1 ? words.ofAudience(ofAudience) : words.ofTest(format.percent(ofTest), ofAudience);
  };
  return (
    <div className="grid gap-2">
      <h3 id={id} className="font-medium">
        {words.results}
      </h3>
      <ul aria-labelledby={id} className="grid gap-2">
        {variants.map(({ id: name, subject, from, fromName, weight }) => (
          <li
            key={name}
            className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1 border-t border-line pt-2"
          >
            <strong>{words.variant(name.toUpperCase())}</strong>
            <span className="text-sm text-muted">{share(weight)}</span>
            <span className="basis-full [overflow-wrap:anywhere]">
              {(subject ?? fields.subject) || campaign.noSubject}
            </span>
            {(from !== undefined || fromName !== undefined) && (
              <span className="basis-full text-sm [overflow-wrap:anywhere] text-muted">
                {campaign.fields.from}: {senderOf(fromName ?? fields.fromName, from ?? fields.from)}
              </span>
            )}
          </li>
        ))}
      </ul>
      {tested < 1 && <p className="text-sm text-muted">{words.rest(format.percent(1 - tested))}</p>}
    </div>
  );
}
