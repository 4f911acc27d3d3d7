/** The schema of a design: the document of the block editor. Optional fields have defaults that the renderer knows. */
import { z } from 'zod';
import { EMAIL_WIDTH, FONTS, RULE_OPERATORS } from './constants.js';
import { checkLimits } from './limits.js';

const MAX_TEXT_LENGTH = 20_000;
const MAX_HTML_LENGTH = 200_000;
const MAX_LINK_LENGTH = 2_000;

const id = z
  .string()
  .regex(/^[\w-]{1,64}$/, 'must have 1 to 64 letters, digits, underscores, or hyphens')
  .describe('Stable, and unique in the design.');
const color = z.string().regex(/^#(?:[\da-f]{3}|[\da-f]{6})$/i, 'must be a color such as #1d4ed8');
const align = z.enum(['start', 'center', 'end']);
const pixels = (min: number, max: number) => z.int().min(min).max(max);

/** Empty while the author has not decided yet: a problem and not an error. */
const link = z
  .string()
  .max(MAX_LINK_LENGTH)
  .regex(
    /^(?:$|https?:|mailto:|tel:|sms:|#|\{\{|\{%)/i,
    'must start with https://, http://, mailto:, tel:, sms:, #, or a {{ variable }}',
  )
  .describe('A URL, or a template that prints one.');
const imageSource = z
  .string()
  .max(MAX_LINK_LENGTH)
  .regex(/^(?:$|https?:|\{\{|\{%)/i, 'must start with https://, http://, or a {{ variable }}')
  .describe('A URL, or a template that prints one. Email clients do not show `data:` URLs.');
const linkLabel = z
  .string()
  .max(100)
  .nullish()
  .describe('The name of the link in the reports of campaigns (`data-link`).');
const tracked = z.boolean().nullish().describe('False excludes the link from click tracking. True by default.');

// A path of the template language: words, or quoted keys in brackets.
const WORD = String.raw`[\p{L}\p{N}\p{M}_$@#?][\p{L}\p{N}\p{M}_$@#?-]*`;
const SEGMENT = `${WORD}(?: ${WORD})*`;
const QUOTED = String.raw`\["[^"\\{}\r\n]+"\]`;
const variable = z
  .string()
  .max(200)
  .regex(
    new RegExp(String.raw`^(?:${SEGMENT}|${QUOTED})(?:\.${SEGMENT}|${QUOTED})*$`, 'u'),
    'must be a variable such as firstName or data.plan.name',
  );

export const Mark = z
  .discriminatedUnion('type', [
    z.object({ type: z.enum(['bold', 'italic', 'underline', 'strike']) }),
    z.object({ type: z.literal('link'), href: link, label: linkLabel, tracked }),
    z.object({ type: z.literal('color'), color }),
  ])
  .meta({ id: 'DesignMark', description: 'The formatting of a part of a text.' });
export type Mark = z.infer<typeof Mark>;

const marks = z.array(Mark).max(10).nullish();

export const Inline = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('text'),
      text: z
        .string()
        .max(MAX_TEXT_LENGTH)
        .describe('Plain text. Newline characters break the line, and `{{ variable }}` placeholders are kept.'),
      marks,
    }),
    z.object({
      type: z.literal('variable'),
      name: variable,
      fallback: z
        .string()
        .max(500)
        // oxlint-disable-next-line no-control-regex -- control characters are what the rule rejects
        .regex(/^[^\u0000-\u001f]*$/, 'must be one line')
        .nullish()
        .describe('Printed for contacts without a value.'),
      marks,
    }),
  ])
  .meta({ id: 'DesignInline', description: 'A part of a text, or a variable.' });
export type Inline = z.infer<typeof Inline>;

const content = z.array(Inline).max(500);

/** The fields of all blocks. */
const base = {
  id,
  background: color.nullish().describe('The background of the block, in light and dark mode.'),
  spacing: z
    .object({ top: pixels(0, 100), bottom: pixels(0, 100) })
    .nullish()
    .describe('The space inside the block, above and below its content, in pixels.'),
};

const Heading = z
  .object({
    ...base,
    type: z.literal('heading'),
    level: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    content,
    align: align.nullish(),
    color: color.nullish(),
  })
  .meta({ id: 'DesignHeading' });

const Text = z
  .object({ ...base, type: z.literal('text'), content, align: align.nullish(), color: color.nullish() })
  .meta({ id: 'DesignText', description: 'A paragraph.' });

const Button = z
  .object({
    ...base,
    type: z.literal('button'),
    content,
    href: link,
    label: linkLabel,
    tracked,
    align: align.nullish(),
    buttonColor: color.nullish().describe('By default, the color of the brand.'),
    textColor: color.nullish().describe('By default, black or white.'),
    radius: pixels(0, 40).nullish(),
    isFullWidth: z.boolean().nullish(),
  })
  .meta({ id: 'DesignButton' });

const Image = z
  .object({
    ...base,
    type: z.literal('image'),
    src: imageSource,
    alt: z
      .string()
      .max(1000)
      .nullish()
      .describe('Describes the image. Empty for decoration. A missing description is a problem.'),
    href: link.nullish(),
    label: linkLabel,
    tracked,
    width: pixels(1, EMAIL_WIDTH).nullish().describe('In pixels. By default, the width of the column.'),
    align: align.nullish(),
    radius: pixels(0, 40).nullish(),
  })
  .meta({ id: 'DesignImage' });

/** The schema of nested blocks. The type is written out, because the compiler cannot infer recursive unions. */
type NestedBlocks = z.ZodType<Block[], Block[]>;

const columnsFields = {
  ...base,
  type: z.literal('columns'),
  widths: z.array(pixels(10, 100)).max(3).nullish().describe('The width of each column in percent. Equal by default.'),
  gap: pixels(0, 48).nullish().describe('The space between columns, in pixels.'),
  verticalAlign: z.enum(['top', 'middle', 'bottom']).nullish(),
};

const Columns = z
  .object({
    ...columnsFields,
    get columns(): z.ZodArray<NestedBlocks> {
      return z.array(z.array(Block)).min(1).max(3).describe('The blocks of each column, without other columns.');
    },
  })
  .superRefine(({ columns, widths }, issues) => {
    if (!widths) return;
    if (widths.length !== columns.length)
      issues.addIssue({ code: 'custom', path: ['widths'], message: 'must have one width per column' });
    else if (widths.reduce((sum, width) => sum + width, 0) > 100)
      issues.addIssue({ code: 'custom', path: ['widths'], message: 'must add up to at most 100' });
  })
  .meta({ id: 'DesignColumns', description: 'Side by side on wide screens, and one below the other on phones.' });

const Divider = z
  .object({
    ...base,
    type: z.literal('divider'),
    color: color.nullish(),
    thickness: pixels(1, 20).nullish(),
    style: z.enum(['solid', 'dashed', 'dotted']).nullish(),
  })
  .meta({ id: 'DesignDivider' });

const Spacer = z.object({ ...base, type: z.literal('spacer'), height: pixels(1, 400) }).meta({ id: 'DesignSpacer' });

const List = z
  .object({
    ...base,
    type: z.literal('list'),
    isOrdered: z.boolean().nullish(),
    items: z.array(content).max(200),
    color: color.nullish(),
  })
  .meta({ id: 'DesignList' });

const Social = z
  .object({
    ...base,
    type: z.literal('social'),
    links: z
      .array(
        z.object({
          name: z.string().min(1).max(50).describe('The name of the network, shown as text or as the `alt` text.'),
          href: link,
          icon: imageSource.nullish().describe('Shown instead of the name, 24 pixels wide.'),
          label: linkLabel,
          tracked,
        }),
      )
      .max(20),
    align: align.nullish(),
  })
  .meta({ id: 'DesignSocial', description: 'Links to social networks.' });

const Html = z
  .object({
    ...base,
    type: z.literal('html'),
    html: z.string().max(MAX_HTML_LENGTH).describe('Used unchanged. It may contain templates.'),
  })
  .meta({ id: 'DesignHtml' });

export const Condition = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('rule'),
        variable,
        operator: z.enum(RULE_OPERATORS),
        value: z
          .union([z.string().max(500), z.number(), z.boolean()], 'must be a text, a number, or a boolean')
          .nullish(),
      })
      .superRefine(({ operator, value }, issues) => {
        const isUnary = operator === 'exists' || operator === 'notExists';
        if (!isUnary && (value === undefined || value === null))
          issues.addIssue({ code: 'custom', path: ['value'], message: `is required for the operator ${operator}` });
      }),
    z.object({
      type: z.literal('liquid'),
      expression: z
        .string()
        .trim()
        .min(1)
        .max(1000)
        .regex(/^(?:(?!%\}|\{%|\{\{|\}\}|[\r\n]).)*$/, 'must be one line without braces of tags')
        .describe('What Liquid accepts after `if`: `plan == "pro" and orders > 3`.'),
    }),
  ])
  .meta({ id: 'DesignCondition' });
export type Condition = z.infer<typeof Condition>;

const conditionalFields = { ...base, type: z.literal('conditional'), condition: Condition };

const Conditional = z
  .object({
    ...conditionalFields,
    get blocks(): NestedBlocks {
      return z.array(Block).describe('Shown if the condition is true.');
    },
    get elseBlocks(): z.ZodOptional<z.ZodNullable<NestedBlocks>> {
      return z.array(Block).nullish().describe('Shown if the condition is false.');
    },
  })
  .meta({ id: 'DesignConditional' });

const Footer = z
  .object({
    ...base,
    type: z.literal('footer'),
    content: content.nullish(),
    hasAddress: z.boolean().nullish().describe("Whether the project's postal address is shown. True by default."),
    unsubscribe: z
      .string()
      .max(200)
      .nullish()
      .describe('The text of the unsubscribe link. Empty for no link. By default, in the language of the design.'),
    preferences: z.string().max(200).nullish().describe('The text of a link to the preferences. None by default.'),
    align: align.nullish(),
  })
  .meta({ id: 'DesignFooter' });

const LEAVES = [Heading, Text, Button, Image, Divider, Spacer, List, Social, Html, Footer] as const;

export type Block =
  | z.infer<(typeof LEAVES)[number]>
  | (z.infer<z.ZodObject<typeof columnsFields>> & { columns: Block[][] })
  | (z.infer<z.ZodObject<typeof conditionalFields>> & {
      blocks: Block[];
      elseBlocks?: Block[] | null;
    });

export const Block = z
  .discriminatedUnion('type', [...LEAVES, Columns, Conditional])
  .meta({ id: 'DesignBlock', description: 'A block of a design. Its fields depend on `type`.' });
export type BlockOf<Type extends Block['type']> = Extract<Block, { type: Type }>;

const Settings = z
  .object({
    language: z
      .string()
      .regex(/^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i, 'must be a language tag such as en or pt-BR')
      .nullish()
      .describe('By default, the language of the project.'),
    direction: z.enum(['ltr', 'rtl']).nullish().describe('By default, the direction of the language.'),
    font: z.enum(FONTS).nullish(),
    fontSize: pixels(12, 24).nullish(),
    pageColor: color
      .nullish()
      .describe('Around the content. Dark mode replaces the colors of page, content, and text.'),
    contentColor: color.nullish(),
    textColor: color.nullish(),
    linkColor: color.nullish().describe('By default, the color of the brand.'),
    logo: align.nullish().describe("Where the brand's logo is shown, above all blocks. By default, it is not shown."),
  })
  .meta({ id: 'DesignSettings' });

const EXAMPLE = {
  version: 1,
  blocks: [
    {
      id: 'title',
      type: 'heading',
      level: 1,
      content: [
        { type: 'text', text: 'Hello ' },
        { type: 'variable', name: 'firstName', fallback: 'friend' },
      ],
    },
    { id: 'buy', type: 'button', content: [{ type: 'text', text: 'Buy' }], href: 'https://example.com/buy' },
    { id: 'end', type: 'footer' },
  ],
};

export const Design = z
  .object({
    version: z.literal(1).describe('The version of this schema.'),
    settings: Settings.nullish(),
    blocks: z.array(Block),
  })
  .superRefine(checkLimits)
  .meta({
    id: 'Design',
    description: 'A document of the block editor: at most 500 blocks, 6 levels, and 500,000 characters of JSON.',
    examples: [EXAMPLE],
  });
export type Design = z.infer<typeof Design>;
export type Settings = z.infer<typeof Settings>;
