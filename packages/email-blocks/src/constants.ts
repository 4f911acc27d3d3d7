/** Values that the schema, the renderer, and the editor share. The editor does without the schema. */

/** The content width of the emails, in pixels. */
export const EMAIL_WIDTH = 600;

export const FONTS = ['sans', 'serif', 'mono', 'arial', 'georgia', 'tahoma', 'times', 'trebuchet', 'verdana'] as const;

export const RULE_OPERATORS = [
  'exists',
  'notExists',
  'equals',
  'notEquals',
  'contains',
  'notContains',
  'greaterThan',
  'lessThan',
] as const;
