/** What the fields of blocks may contain, as the schema of designs has it. Other text stays in its input. */

const LINK = /^(?:$|https?:|mailto:|tel:|sms:|#|\{\{|\{%)/i;
const SOURCE = /^(?:$|https?:|\{\{|\{%)/i;
const EXPRESSION = /^(?:(?!%\}|\{%|\{\{|\}\}|[\r\n]).)*$/;
const WORD = String.raw`[\p{L}\p{N}\p{M}_$@#?][\p{L}\p{N}\p{M}_$@#?-]*`;
const VARIABLE = new RegExp(`^${WORD}(?: ${WORD})*(?:\\.${WORD}(?: ${WORD})*)*$`, 'u');

export const isLink = (text: string): boolean => LINK.test(text);
export const isImageSource = (text: string): boolean => SOURCE.test(text);
export const isVariable = (text: string): boolean => VARIABLE.test(text);
export const isExpression = (text: string): boolean => text.trim() !== '' && EXPRESSION.test(text);

/** Completes what people type as a link: `example.com` and `me@example.com`. */
export function completeLink(text: string): string {
  const link = text.trim();
  if (isLink(link)) return link;
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(link)) return `mailto:${link}`;
  return /^[^\s/:]+\.[^\s/.:]{2,}(?:[/?#]\S*)?$/.test(link) ? `https://${link}` : link;
}

/** Returns a color as `input type=color` needs it: #rrggbb. */
export function longColor(color: string): string {
  const [, red = '0', green = '0', blue = '0'] = /^#([\da-f])([\da-f])([\da-f])$/i.exec(color) ?? [];
  return color.length === 4 ? `#${red}${red}${green}${green}${blue}${blue}` : color;
}
