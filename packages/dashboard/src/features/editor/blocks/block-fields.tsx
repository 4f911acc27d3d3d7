/** The form of a block's settings, by a table of fields. Some blocks have parts of their own. */
import type { ReactNode } from 'react';
import { EMAIL_WIDTH } from '../../../../../email-blocks/src/constants.js';
import { CheckboxField, SelectField } from '../../../ui/field.js';
import type { BlockSettings } from './document.js';
import { CheckedText, ColorInput, NumberInput } from './inputs.js';
import { completeLink, isImageSource, isLink } from './rules.js';
import { useBlockWords, type BlockWords } from './words.js';

type FieldName = Exclude<keyof BlockWords['fields'], 'top' | 'bottom'>;

type Field =
  | { kind: 'text' | 'link' | 'source' | 'color' | 'align'; name: FieldName; isLong?: boolean; isRequired?: boolean }
  | { kind: 'number'; name: FieldName; min: number; max: number; isRequired?: boolean }
  /** A checkbox; `byDefault` is what it is when the setting is missing. */
  | { kind: 'flag'; name: FieldName; byDefault: boolean }
  | { kind: 'choice'; name: FieldName; options: (words: BlockWords) => Record<string, string>; byDefault: string };

const ALIGN: Field = { kind: 'align', name: 'align' };
const COLOR: Field = { kind: 'color', name: 'color' };
const LABEL: Field = { kind: 'text', name: 'label' };
const TRACKED: Field = { kind: 'flag', name: 'tracked', byDefault: true };
const RADIUS: Field = { kind: 'number', name: 'radius', min: 0, max: 40 };

const FIELDS: Record<string, Field[]> = {
  paragraph: [ALIGN, COLOR],
  heading: [ALIGN, COLOR],
  button: [
    { kind: 'link', name: 'href', isRequired: true },
    LABEL,
    ALIGN,
    { kind: 'color', name: 'buttonColor' },
    { kind: 'color', name: 'textColor' },
    RADIUS,
    { kind: 'flag', name: 'isFullWidth', byDefault: false },
    TRACKED,
  ],
  image: [
    { kind: 'source', name: 'src', isRequired: true },
    { kind: 'link', name: 'href' },
    LABEL,
    { kind: 'number', name: 'width', min: 1, max: EMAIL_WIDTH },
    ALIGN,
    RADIUS,
  ],
  divider: [
    COLOR,
    { kind: 'number', name: 'thickness', min: 1, max: 20 },
    { kind: 'choice', name: 'style', options: ({ lines }) => lines, byDefault: 'solid' },
  ],
  spacer: [{ kind: 'number', name: 'height', min: 1, max: 400, isRequired: true }],
  list: [{ kind: 'flag', name: 'isOrdered', byDefault: false }, COLOR],
  social: [ALIGN],
  html: [{ kind: 'text', name: 'html', isLong: true, isRequired: true }],
  columns: [
    { kind: 'number', name: 'gap', min: 0, max: 48 },
    { kind: 'choice', name: 'verticalAlign', options: ({ verticals }) => verticals, byDefault: 'top' },
  ],
  footer: [
    { kind: 'text', name: 'unsubscribe' },
    { kind: 'text', name: 'preferences' },
    { kind: 'flag', name: 'hasAddress', byDefault: true },
    ALIGN,
  ],
};

interface Props {
  type: string;
  settings: BlockSettings;
  onChange: (change: BlockSettings) => void;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export function BlockFields({ type, settings, onChange }: Props) {
  const words = useBlockWords();
  const { fields } = words;
  const show = (field: Field): ReactNode => {
    const { kind, name } = field;
    const label = fields[name];
    const value = settings[name];
    const key = `${type} ${name}`;
    // An empty optional setting is removed, so the default applies.
    const change = (next: unknown): void => onChange({ [name]: next });
    switch (kind) {
      case 'text':
      case 'link':
      case 'source':
        return (
          <CheckedText
            key={key}
            label={label}
            name={name}
            value={textOf(value)}
            isLong={field.isLong === true}
            {...(kind === 'link' && { isValid: isLink, complete: completeLink })}
            {...(kind === 'source' && { isValid: isImageSource })}
            onChange={(text) => change(text === '' && field.isRequired !== true ? undefined : text)}
          />
        );
      case 'color':
        return <ColorInput key={key} label={label} value={textOf(value) || undefined} onChange={change} />;
      case 'align':
        return (
          <SelectField
            key={key}
            label={label}
            name={name}
            value={textOf(value)}
            options={[{ value: '', label: words.default }, ...optionsOf(words.aligns)]}
            onChange={(chosen) => change(chosen || undefined)}
          />
        );
      case 'number':
        return (
          <NumberInput
            key={key}
            label={label}
            name={name}
            min={field.min}
            max={field.max}
            value={numberOf(value)}
            isRequired={field.isRequired === true}
            onChange={change}
          />
        );
      case 'flag':
        return (
          <CheckboxField
            key={key}
            label={label}
            name={name}
            checked={typeof value === 'boolean' ? value : field.byDefault}
            onChange={(checked) => change(checked === field.byDefault ? undefined : checked)}
          />
        );
      case 'choice':
        return (
          <SelectField
            key={key}
            label={label}
            name={name}
            value={textOf(value) || field.byDefault}
            options={optionsOf(field.options(words))}
            onChange={(chosen) => change(chosen === field.byDefault ? undefined : chosen)}
          />
        );
      default:
        return field satisfies never;
    }
  };
  const { top, bottom } = Object(settings.spacing);
  const space = (change: { top?: number | undefined; bottom?: number | undefined }): void => {
    const { top: above = 0, bottom: below = 0 } = { top: numberOf(top), bottom: numberOf(bottom), ...change };
    onChange({ spacing: above === 0 && below === 0 ? undefined : { top: above, bottom: below } });
  };
  return (
    <>
      {(FIELDS[type] ?? []).map(show)}
      <ColorInput
        label={fields.background}
        value={textOf(settings.background) || undefined}
        onChange={(background) => onChange({ background })}
      />
      <NumberInput
        label={fields.top}
        name="top"
        min={0}
        max={100}
        value={numberOf(top)}
        onChange={(value) => space({ top: value })}
      />
      <NumberInput
        label={fields.bottom}
        name="bottom"
        min={0}
        max={100}
        value={numberOf(bottom)}
        onChange={(value) => space({ bottom: value })}
      />
    </>
  );
}

export const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
