/** The versions of a variant test, and how their winner is found. */
import { useState } from 'react';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CheckboxField, SelectField, TextField } from '../../ui/field.js';
import { Card } from '../../ui/page.js';
import type { CampaignFields, Variant, VariantTest } from './model.js';
import { VariantContent, type VariantContentProps } from './variant-content.js';
import { useVariantWords } from './variant-words.js';

const IDS = ['a', 'b', 'c', 'd', 'e'];
const MIN_VARIANTS = 2;
const FULL = 100;
const TEXTS = ['subject', 'preheader', 'from', 'fromName'] as const;
const METRICS = ['clicks', 'opens', 'event'] as const;
const EVENT = 'event:';

type Draft = Pick<CampaignFields, 'variants' | 'test'>;

interface Props extends Pick<VariantContentProps, 'campaignBody' | 'contact' | 'onContactChange'> {
  fields: CampaignFields;
  errors: Readonly<Record<string, string>>;
  onChange: (change: Draft) => void;
}

/** Equal shares, of which the first ones get the remainder. */
function withEqualWeights(variants: readonly Variant[]): Variant[] {
  const share = Math.floor(FULL / variants.length);
  const remainder = FULL - share * variants.length;
  return variants.map((variant, index) => ({ ...variant, weight: share + (index < remainder ? 1 : 0) }));
}

const NEW_TEST: VariantTest = { share: 20, metric: 'clicks', after: 4, decide: 'auto' };

const isWhole = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;
const isShare = (share: number): boolean => isWhole(share, 5, FULL);
const isAfter = (after: number): boolean => after >= 1 && after <= 72;
const sumOf = (variants: readonly Variant[]): number => variants.reduce((sum, { weight }) => sum + weight, 0);

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const isVariant = ({ weight, from, body }: Variant): boolean =>
  isWhole(weight, 1, FULL) && body !== '' && (from === undefined || ADDRESS.test(from));

/** Whether the API accepts it. */
const isComplete = ({ variants, test }: Draft): boolean =>
  variants === null ||
  (sumOf(variants) === FULL &&
    variants.every(isVariant) &&
    (test === null || (isShare(test.share) && isAfter(test.after) && test.metric !== EVENT)));

/** The form keeps what is not complete, and passes on what is. */
export function VariantsCard({ fields, errors, onChange, ...content }: Props) {
  const words = useVariantWords();
  const [draft, setDraft] = useState<Draft>({ variants: fields.variants, test: fields.test });
  const change = (next: Draft): void => {
    setDraft(next);
    if (isComplete(next)) onChange(next);
  };
  const { variants, test } = draft;
  return (
    <Card title={words.title}>
      <CheckboxField
        label={words.several}
        name="hasVariants"
        hint={words.about}
        checked={variants !== null}
        onChange={(isOn) =>
          change(
            isOn
              ? {
                  variants: withEqualWeights([
                    { id: 'a', weight: 0 },
                    { id: 'b', weight: 0 },
                  ]),
                  test: NEW_TEST,
                }
              : { variants: null, test: null },
          )
        }
      />
      {variants && (
        <>
          <Versions
            variants={variants}
            fields={fields}
            errors={errors}
            onChange={(next) => change({ variants: next, test })}
            {...content}
          />
          <Winner variants={variants} test={test} onChange={(next) => change({ variants, test: next })} />
          {!isComplete(draft) && <Note tone="warning">{words.saved}</Note>}
        </>
      )}
    </Card>
  );
}

interface VersionsProps extends Omit<Props, 'onChange'> {
  variants: Variant[];
  onChange: (variants: Variant[]) => void;
}

function Versions({ variants, errors, onChange, ...content }: VersionsProps) {
  const words = useVariantWords();
  const sum = sumOf(variants);
  const set = (id: string, change: (variant: Variant) => Variant): void =>
    onChange(variants.map((variant) => (variant.id === id ? change(variant) : variant)));
  const next = IDS.find((id) => !variants.some((variant) => variant.id === id));
  return (
    <>
      {variants.map((variant, index) => (
        <fieldset key={variant.id} className="grid gap-3 rounded-lg border border-line p-3">
          <legend className="px-1 font-medium">{words.variant(variant.id.toUpperCase())}</legend>
          <div className="grid gap-3 md:grid-cols-2">
            {TEXTS.map((name) => (
              <TextField
                key={name}
                label={words[name]}
                name={`variants.${index}.${name}`}
                type={name === 'from' ? 'email' : 'text'}
                value={variant[name] ?? ''}
                onChange={({ target }) =>
                  set(variant.id, ({ [name]: _before, ...others }) =>
                    target.value === '' ? others : { ...others, [name]: target.value },
                  )
                }
                autoComplete="off"
                error={errors[`variants.${index}.${name}`]}
              />
            ))}
            <TextField
              label={words.weight}
              name={`variants.${index}.weight`}
              type="number"
              min={1}
              max={FULL}
              value={variant.weight}
              onChange={({ target }) => set(variant.id, (one) => ({ ...one, weight: Number(target.value) }))}
              error={errors[`variants.${index}.weight`]}
            />
          </div>
          <VariantContent
            variant={variant}
            error={errors[`variants.${index}.body`]}
            onChange={(change) => set(variant.id, change)}
            {...content}
          />
          {variants.length > MIN_VARIANTS && (
            <Button
              look="quiet"
              className="justify-self-start"
              onClick={() => onChange(withEqualWeights(variants.filter(({ id }) => id !== variant.id)))}
            >
              {words.remove(variant.id.toUpperCase())}
            </Button>
          )}
        </fieldset>
      ))}
      {sum !== FULL && (
        <p role="alert" className="text-sm text-danger">
          {words.weights(sum)}
        </p>
      )}
      {next !== undefined && (
        <Button
          className="justify-self-start"
          onClick={() => onChange(withEqualWeights([...variants, { id: next, weight: 0 }]))}
        >
          {words.add}
        </Button>
      )}
    </>
  );
}

interface WinnerProps {
  variants: readonly Variant[];
  test: VariantTest | null;
  onChange: (test: VariantTest | null) => void;
}

function Winner({ variants, test, onChange }: WinnerProps) {
  const words = useVariantWords();
  const hasWinner = test !== null && test.share !== FULL;
  return (
    <>
      <CheckboxField
        label={words.hasWinner}
        name="hasWinner"
        hint={words.hasWinnerHint}
        checked={hasWinner}
        onChange={(isOn) => onChange(isOn ? NEW_TEST : null)}
      />
      {hasWinner && <TestFields variants={variants} test={test} onChange={onChange} />}
    </>
  );
}

function TestFields({ variants, test, onChange }: WinnerProps & { test: VariantTest }) {
  const words = useVariantWords();
  const metric = METRICS.find((one) => test.metric.startsWith(one)) ?? 'clicks';
  const { ifTied, ...others } = test;
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <TextField
        label={words.share}
        name="test.share"
        type="number"
        min={5}
        max={99}
        value={test.share}
        onChange={({ target }) => onChange({ ...test, share: Number(target.value) })}
        error={isShare(test.share) ? undefined : words.shareError}
      />
      <SelectField
        label={words.metric}
        name="test.metric"
        value={metric}
        options={METRICS.map((value) => ({ value, label: words.metrics[value] }))}
        hint={metric === 'opens' ? words.opensHint : undefined}
        onChange={(value) => onChange({ ...test, metric: value === 'event' ? EVENT : value })}
      />
      {metric === 'event' && (
        <TextField
          label={words.event}
          name="test.event"
          value={test.metric.slice(EVENT.length)}
          onChange={({ target }) => onChange({ ...test, metric: `${EVENT}${target.value}` })}
          autoComplete="off"
        />
      )}
      <SelectField
        label={words.decide}
        name="test.decide"
        value={test.decide}
        options={(['auto', 'manual'] as const).map((value) => ({ value, label: words.decisions[value] }))}
        onChange={(decide) => onChange({ ...test, decide })}
      />
      {test.decide === 'auto' && (
        <>
          <TextField
            label={words.after}
            name="test.after"
            type="number"
            min={1}
            max={72}
            value={test.after}
            onChange={({ target }) => onChange({ ...test, after: Number(target.value) })}
            error={isAfter(test.after) ? undefined : words.afterError}
          />
          <SelectField
            label={words.ifTied}
            name="test.ifTied"
            value={ifTied ?? ''}
            options={[
              { value: '', label: words.highest },
              ...variants.map(({ id }) => ({ value: id, label: words.variant(id.toUpperCase()) })),
            ]}
            onChange={(value) => onChange(value === '' ? others : { ...others, ifTied: value })}
          />
        </>
      )}
    </div>
  );
}
