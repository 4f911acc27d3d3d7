/** The settings that only one type of block has: levels, images, columns, conditions, social links, and variables. */
import type { Editor } from '@tiptap/core';
import { useRef } from 'react';
import { RULE_OPERATORS } from '../../../../../email-blocks/src/constants.js';
import { Button } from '../../../ui/button.js';
import { CheckboxField, SelectField } from '../../../ui/field.js';
import { PlusIcon, TrashIcon, UploadIcon } from '../../../ui/icons.js';
import type { ImageUpload } from '../uploads.js';
import { changeSettings, resizeParts, type FoundBlock } from './commands.js';
import { settingsOf, type BlockSettings } from './document.js';
import { CheckedText } from './inputs.js';
import { completeLink, isExpression, isImageSource, isLink, isVariable } from './rules.js';
import { useBlockWords } from './words.js';

interface Props {
  editor: Editor;
  block: FoundBlock;
  variables: readonly string[];
  upload: ImageUpload['upload'];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function SpecialFields({ editor, block, variables, upload }: Props) {
  const { fields } = useBlockWords();
  const settings = settingsOf(block.node.attrs);
  const change = (part: BlockSettings): void => changeSettings(editor, block.position, part);
  switch (block.node.type.name) {
    case 'heading':
      return (
        <SelectField
          label={fields.level}
          name="level"
          value={String(settings.level)}
          options={['1', '2', '3'].map((value) => ({ value, label: value }))}
          onChange={(level) => change({ level: Number(level) })}
        />
      );
    case 'image':
      return <ImageFields settings={settings} onChange={change} upload={upload} />;
    case 'columns':
      return <ColumnFields editor={editor} block={block} settings={settings} onChange={change} />;
    case 'conditional':
      return <ConditionFields editor={editor} block={block} variables={variables} onChange={change} />;
    case 'social':
      return <SocialFields settings={settings} onChange={change} />;
    default:
      return null;
  }
}

interface PartProps {
  settings: BlockSettings;
  onChange: (change: BlockSettings) => void;
}

function ImageFields({ settings, onChange, upload }: PartProps & Pick<Props, 'upload'>) {
  const { fields } = useBlockWords();
  const input = useRef<HTMLInputElement>(null);
  const isDecoration = settings.alt === '';
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        aria-label={fields.upload}
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) void upload(file).then((src) => src !== null && onChange({ src }));
        }}
      />
      <Button className="self-end" onClick={() => input.current?.click()}>
        <UploadIcon />
        {fields.upload}
      </Button>
      <CheckedText
        label={fields.alt}
        name="alt"
        hint={fields.altHint}
        value={textOf(settings.alt)}
        onChange={(alt) => onChange({ alt: alt === '' ? undefined : alt })}
      />
      <CheckboxField
        label={fields.isDecoration}
        name="isDecoration"
        checked={isDecoration}
        onChange={(checked) => onChange({ alt: checked ? '' : undefined })}
      />
    </>
  );
}

const WIDTHS: Record<number, string[]> = { 1: [], 2: ['33 67', '67 33'], 3: ['50 25 25', '25 50 25', '25 25 50'] };

function ColumnFields({ editor, block, settings, onChange }: PartProps & Pick<Props, 'editor' | 'block'>) {
  const words = useBlockWords();
  const count = block.node.childCount;
  const widths = Array.isArray(settings.widths) ? settings.widths.join(' ') : '';
  const options = [...new Set(['', ...(WIDTHS[count] ?? []), widths])];
  return (
    <>
      <SelectField
        label={words.fields.columns}
        name="columns"
        value={String(count)}
        options={['1', '2', '3'].map((value) => ({ value, label: value }))}
        onChange={(value) => resizeParts(editor, block, Number(value))}
      />
      <SelectField
        label={words.fields.widths}
        name="widths"
        value={widths}
        options={options.map((value) => ({
          value,
          label: value === '' ? words.equal : `${value.replaceAll(' ', ' : ')} %`,
        }))}
        onChange={(value) => onChange({ widths: value === '' ? undefined : value.split(' ').map(Number) })}
      />
    </>
  );
}

function ConditionFields({ editor, block, variables, onChange }: Omit<PartProps, 'settings'> & Omit<Props, 'upload'>) {
  const words = useBlockWords();
  const { fields } = words;
  const condition = Object(settingsOf(block.node.attrs).condition);
  const isRule = condition.type !== 'liquid';
  const isUnary = condition.operator === 'exists' || condition.operator === 'notExists';
  const change = (part: object): void => onChange({ condition: { ...condition, ...part } });
  const setOperator = (operator: string): void => {
    const { value, ...rest } = condition;
    const needsValue = operator !== 'exists' && operator !== 'notExists';
    onChange({ condition: { ...rest, operator, ...(needsValue && { value: value ?? '' }) } });
  };
  const setMode = (mode: string): void =>
    onChange({
      condition:
        mode === 'rule'
          ? { type: 'rule', variable: 'email', operator: 'exists' }
          : { type: 'liquid', expression: 'email != empty' },
    });
  return (
    <>
      <SelectField
        label={fields.mode}
        name="mode"
        value={isRule ? 'rule' : 'liquid'}
        options={[
          { value: 'rule', label: fields.rule },
          { value: 'liquid', label: fields.liquid },
        ]}
        onChange={setMode}
      />
      {isRule ? (
        <>
          <datalist id="condition-variables">
            {variables.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <CheckedText
            label={fields.variable}
            name="variable"
            list="condition-variables"
            value={textOf(condition.variable)}
            isValid={isVariable}
            onChange={(variable) => change({ variable })}
          />
          <SelectField
            label={fields.operator}
            name="operator"
            value={textOf(condition.operator)}
            options={RULE_OPERATORS.map((value) => ({ value, label: words.condition.operators[value] }))}
            onChange={setOperator}
          />
          {!isUnary && (
            <CheckedText
              label={fields.value}
              name="value"
              value={String(condition.value ?? '')}
              onChange={(value) => change({ value: readValue(value, condition.operator) })}
            />
          )}
        </>
      ) : (
        <CheckedText
          label={fields.expression}
          name="expression"
          value={textOf(condition.expression)}
          isValid={isExpression}
          onChange={(expression) => change({ expression })}
        />
      )}
      <CheckboxField
        label={fields.hasElse}
        name="hasElse"
        checked={block.node.childCount === 2}
        onChange={(checked) => resizeParts(editor, block, checked ? 2 : 1)}
      />
    </>
  );
}

/** Numbers are compared as numbers. */
const readValue = (text: string, operator: unknown): string | number =>
  (operator === 'greaterThan' || operator === 'lessThan') && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;

interface SocialLink {
  name: string;
  href: string;
  icon?: string;
}

function SocialFields({ settings, onChange }: PartProps) {
  const { fields } = useBlockWords();
  const links: SocialLink[] = Array.isArray(settings.links) ? settings.links : [];
  const change = (index: number, part: Partial<SocialLink>): void =>
    onChange({ links: links.map((link, at) => (at === index ? { ...link, ...part } : link)) });
  return (
    <div className="col-span-full grid gap-3">
      {links.map(({ name, href, icon = '' }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- links have no ids, and their names can be equal
        <fieldset key={index} className="grid gap-3 rounded-lg border border-line p-3">
          <CheckedText
            label={fields.name}
            name={`name-${index}`}
            value={name}
            isValid={(text) => text !== '' && text.length <= 50}
            onChange={(text) => change(index, { name: text })}
          />
          <CheckedText
            label={fields.href}
            name={`href-${index}`}
            value={href}
            isValid={isLink}
            complete={completeLink}
            onChange={(text) => change(index, { href: text })}
          />
          <CheckedText
            label={fields.icon}
            name={`icon-${index}`}
            value={icon}
            isValid={isImageSource}
            onChange={(text) => change(index, { icon: text })}
          />
          <Button
            className="justify-self-start"
            aria-label={`${fields.removeLink}: ${name}`}
            onClick={() => onChange({ links: links.filter((_, at) => at !== index) })}
          >
            <TrashIcon />
            {fields.removeLink}
          </Button>
        </fieldset>
      ))}
      {links.length < 20 && (
        <Button
          className="justify-self-start"
          onClick={() => onChange({ links: [...links, { name: 'Instagram', href: '' }] })}
        >
          <PlusIcon />
          {fields.addLink}
        </Button>
      )}
    </div>
  );
}
