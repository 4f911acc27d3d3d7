import { describe, expect, it } from 'vitest';
import { TemplateError } from '../../src/mail/template-error.js';
import { listVariables } from '../../src/mail/template-variables.js';

const paths = (source: string): string[] => listVariables(source).map(({ path }) => path.join('.'));

describe('the variables of a template', () => {
  it.each([
    ['{{ name }} {{ data.plan.name }}', ['name', 'data.plan.name']],
    ['{{ a ?? b ?? text }}', ['a', 'b']],
    ['{{ a | append: b | default: c }}', ['a', 'b', 'c']],
    ['{{ data["x.y"] }} {{ First name }}', ['data.x.y', 'First name']],
    ['{{ list[index].name }}', ['list', 'index']],
    ['{% if a == b %}{% elsif c contains "x" %}{% else %}{% endif %}', ['a', 'b', 'c']],
    ['{% unless a %}{% endunless %}{% case b %}{% when c, "d" %}{% endcase %}', ['a', 'b', 'c']],
    ['{% for x in a.b limit: c %}{{ x.y }}{{ forloop.index }}{% endfor %}', ['a.b', 'c']],
    ['{% tablerow x in a %}{{ x }}{{ tablerowloop.col }}{% endtablerow %}', ['a']],
    ['{% assign x = a | upcase %}{{ x }}{% capture y %}{{ b }}{% endcapture %}{{ y }}', ['a', 'b']],
    ['{% increment n %}{{ n }}{% cycle a, "b" %}{% echo c %}', ['a', 'c']],
    ['{%- liquid\n  assign x = a\n  echo x\n-%}', ['a']],
    ['{% raw %}{{ a }}{% endraw %}{% comment %}{{ b }}{% endcomment %}{{ "text" }}{{ 1 }}', []],
  ])('of %s are %j', (source, expected) => {
    expect(paths(source)).toEqual(expected);
  });

  it('have a place, and are required if they are printed without a default', () => {
    expect(listVariables('a{{ b }}{{ c ?? d }}{{ e | upcase }}{{ f | default: "g" }}{% if h %}{% endif %}')).toEqual([
      { path: ['b'], offset: 1, isRequired: true },
      { path: ['c'], offset: 8, isRequired: false },
      { path: ['e'], offset: 20, isRequired: true },
      { path: ['f'], offset: 36, isRequired: false },
      { path: ['h'], offset: 58, isRequired: false },
    ]);
  });

  it('of 5,000 tags are listed', () => {
    const source = Array.from(
      { length: 5000 },
      (_, n) => `{% if a${n % 100} %}<p>{{ b | upcase }}</p>{% endif %}`,
    ).join('\n');
    expect(new Set(paths(source)).size).toBe(101);
  });

  it('need a template that is closed', () => {
    expect(() => listVariables('{{ a')).toThrow(TemplateError);
  });
});
