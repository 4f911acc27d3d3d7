/** The form of an import: the file, which is stored while it arrives, and the options. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DELIMITERS, ImportMapping, ON_EXISTING } from '../domain/imports/options.js';
import type { ImportUpload } from '../domain/imports/upload.js';
import { validationError, type FieldError } from '../errors.js';
import { readFormParts, type FileRules } from './form-file.js';
import { fieldErrors } from './plugins/errors.js';
import { parseJson } from './plugins/validation.js';

/** The text fields of the form. */
const ImportFields = z.object({
  mapping: z
    .unknown()
    .transform((value, context) => {
      if (typeof value !== 'string') return value;
      try {
        return parseJson(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON object', input: value });
        return z.NEVER;
      }
    })
    .pipe(ImportMapping)
    .optional(),
  dryRun: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((value) => value === 'true')
    .optional(),
  segmentId: z.string().min(1).optional(),
  onExisting: z.enum(ON_EXISTING).optional(),
  delimiter: z.enum(DELIMITERS, 'must be a comma, a semicolon, a tab, or |').optional(),
});
export type ImportFields = z.infer<typeof ImportFields>;

const FIELD_NAMES = new Set(Object.keys(ImportFields.shape));

/**
 * Reads the form and writes the file to `upload`. Fields can follow the file. Unknown parts are ignored.
 *
 * @throws PAYLOAD_TOO_LARGE (413), BAD_REQUEST (400) for a malformed form, VALIDATION_ERROR (422) for invalid fields and
 * unless the form has exactly one file
 */
export async function readImportForm(
  request: FastifyRequest,
  rules: FileRules,
  upload: ImportUpload,
): Promise<{ name: string; fields: ImportFields }> {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  const name = await readFormParts(request, rules, {
    onFile: (chunk) => upload.write(chunk),
    onField(field, value, { isTruncated }) {
      if (!FIELD_NAMES.has(field)) return;
      if (isTruncated) errors.push({ field, message: 'is too long', code: 'too_big' });
      else if (field in values) errors.push({ field, message: 'must come once', code: 'custom' });
      // A field without a value counts as not given: browsers send all fields of a form.
      else if (value !== '') values[field] = value;
    },
    onOtherFile(field) {
      if (FIELD_NAMES.has(field))
        errors.push({ field, message: 'must be a field without a file name', code: 'custom' });
    },
  });
  const parsed = ImportFields.safeParse(values, { reportInput: true });
  if (!parsed.success) errors.push(...fieldErrors(parsed.error.issues));
  if (errors.length > 0 || !parsed.success) throw validationError(errors);
  return { name, fields: parsed.data };
}
