/**
 * Examples of the values of JSON schemas.
 *
 * A schema with `examples` determines its own. Otherwise, an object has all its properties, and the name of a property
 * determines its value (example-values.ts), so that an id, an address, or a time is the same wherever it occurs.
 */
import type { JsonSchema, Schemas } from './document.js';
import { BOOLEANS, NUMBERS, OBJECTS, STRINGS, TIMES, UNSET_FIELDS, idOf } from './example-values.js';

/** Where a value stands. */
interface Place {
  schemas: Schemas;
  /** The property, or the parameter. */
  name: string;
  /** The named schema or the resource around it, which determines `id`: `Contact`. */
  owner: string;
  /** Whether fields that are usually null stay null: in responses. */
  isResponse: boolean;
  /** The named schemas around it, to end recursion. */
  above: readonly string[];
}

/** Returns an example of a value, or undefined if a recursive schema would repeat itself. */
export function exampleOf(schema: JsonSchema, place: Place): unknown {
  if (schema.$ref !== undefined) return exampleOfReference(schema.$ref, place);
  const [given] = schema.examples ?? [];
  if (given !== undefined) return given;
  if (schema.const !== undefined) return schema.const;
  if (isNullable(schema) && place.isResponse && UNSET_FIELDS.has(place.name)) return null;
  if (schema.enum) return exampleOfEnum(schema.enum, place);
  const known = OBJECTS[`${place.owner}.${place.name}`] ?? OBJECTS[place.name];
  if (known !== undefined && isOpen(schema)) return known;
  const choices = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
  if (choices) return choices.map((choice) => exampleOf(choice, place)).find((value) => value !== undefined);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part, place)));
  return exampleOfType(schema, place);
}

/** Whether a schema leaves the content of an object or a list open. */
const isOpen = (schema: JsonSchema): boolean =>
  isRecord(schema) ||
  schema.items?.type === 'string' ||
  (schema.type === undefined && !schema.anyOf && !schema.oneOf && !schema.allOf);
const isRecord = ({ type, properties }: JsonSchema): boolean => [type].flat().includes('object') && !properties;

const isNullable = ({ type, anyOf, oneOf }: JsonSchema): boolean =>
  (Array.isArray(type) && type.includes('null')) ||
  ((anyOf ?? oneOf)?.some((choice) => choice.type === 'null') ?? false);

function exampleOfReference(reference: string, place: Place): unknown {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const schema = place.schemas[name];
  if (!schema || place.above.includes(name)) return undefined;
  const owner = isResource(schema) ? name : place.owner;
  return exampleOf(schema, { ...place, owner, above: [...place.above, name] });
}

/** Whether a named schema is a resource with an id of its own. */
const isResource = ({ properties }: JsonSchema): boolean => properties?.id !== undefined;

const exampleOfEnum = (values: unknown[], { name, owner }: Place): unknown => {
  const preferred = STRINGS[`${owner}.${name}`] ?? STRINGS[name];
  return values.includes(preferred) ? preferred : values.find((value) => value !== null);
};

function exampleOfType(schema: JsonSchema, place: Place): unknown {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  switch (type) {
    case 'string':
      return exampleOfString(schema, place);
    case 'integer':
    case 'number':
      return Math.max(NUMBERS[place.name] ?? 1, schema.minimum ?? 0);
    case 'boolean':
      return BOOLEANS[place.name] ?? true;
    case 'array': {
      const name = singularOf(place.name);
      const owner = schema.items?.properties && name !== 'data' ? name : place.owner;
      const item = schema.items && exampleOf(schema.items, { ...place, name, owner });
      return item === undefined ? [] : [item];
    }
    case 'object':
      return exampleOfObject(schema, place);
    default:
      return STRINGS[place.name] ?? 'value';
  }
}

const singularOf = (name: string): string => name.replace(/ies$/, 'y').replace(/s$/, '');

function exampleOfString({ format }: JsonSchema, { name, owner }: Place): string {
  if (format === 'date-time') return TIMES[name] ?? '2026-11-02T09:30:00.000Z';
  if (format === 'date') return (TIMES[name] ?? '2026-11-02').slice(0, 10);
  if (format === 'binary') return '<binary>';
  if (name === '') return '<!doctype html>…';
  const known = STRINGS[`${owner}.${name}`] ?? STRINGS[name];
  if (known !== undefined) return known;
  if (name === 'id') return idOf(owner);
  if (name.endsWith('Id')) return idOf(name.slice(0, -2));
  if (name.endsWith('At') || name.endsWith('Date')) return '2026-11-02T09:30:00.000Z';
  if (format === 'uuid') return idOf(name);
  return name;
}

function exampleOfObject({ properties, additionalProperties }: JsonSchema, place: Place): Record<string, unknown> {
  const values = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const value = exampleOf(property, { ...place, name });
    return value === undefined ? [] : [[name, value] as const];
  });
  if (values.length > 0 || typeof additionalProperties !== 'object') return Object.fromEntries(values);
  const value = exampleOf(additionalProperties, { ...place, name: singularOf(place.name) });
  return value === undefined ? {} : { key: value };
}
