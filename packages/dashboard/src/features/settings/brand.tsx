/** The logo and the color of the block editor. */
import { useState, type FormEvent } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { useWords } from '../../words/words.js';
import { imagesOf, useImageUpload } from '../editor/uploads.js';
import { textOrNull, useSaveProject } from './save.js';
import { useSettingsWords } from './words.js';

const DEFAULT_COLOR = '#1f4fd8';
const IS_COLOR = /^#[0-9a-f]{6}$/i;

export function BrandPage() {
  const words = useSettingsWords();
  const { common } = useWords();
  const { project, mayManage } = useProject();
  const { save, error, isBusy } = useSaveProject();
  const { upload, message } = useImageUpload();
  const [logoUrl, setLogoUrl] = useState(project.brand?.logoUrl ?? '');
  const [color, setColor] = useState(project.brand?.color ?? '');
  const named = fieldErrors(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save({ brand: { logoUrl: textOrNull(logoUrl), color: textOrNull(color) } });
  };
  const take = async (file: File | undefined): Promise<void> => {
    const url = file && (await upload(file));
    if (url) setLogoUrl(url);
  };
  return (
    <form
      onSubmit={submit}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
      onPaste={(event) => {
        const [file] = imagesOf(event.clipboardData);
        if (!file || !mayManage) return;
        event.preventDefault();
        void take(file);
      }}
    >
      <Card title={words.tabs.brand}>
        <p className="text-muted">{words.brandHint}</p>
        <TextField
          label={words.logoUrl}
          name="logoUrl"
          type="url"
          hint={words.logoHint}
          value={logoUrl}
          onChange={({ target }) => setLogoUrl(target.value)}
          disabled={!mayManage}
          error={named['brand.logoUrl']}
        />
        <label className="grid gap-1">
          <span className="font-medium">{words.logoFile}</span>
          <input
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            disabled={!mayManage}
            className="min-h-9 max-w-full text-muted file:mr-3 file:min-h-9 file:cursor-pointer file:rounded-lg file:border file:border-control file:bg-surface file:px-3 file:font-medium file:text-text"
            onChange={({ target }) => void take(target.files?.[0])}
          />
        </label>
        <p role="status">{message}</p>
        {/^https?:/.test(logoUrl) && (
          <div className="justify-self-start rounded-lg border border-line bg-white p-3">
            <img src={logoUrl} alt={words.logo} className="max-h-20 max-w-full" />
          </div>
        )}
        <div className="flex flex-wrap items-end gap-3">
          <TextField
            label={words.color}
            name="color"
            placeholder={DEFAULT_COLOR}
            value={color}
            onChange={({ target }) => setColor(target.value)}
            disabled={!mayManage}
            error={named['brand.color']}
          />
          <input
            type="color"
            aria-label={words.pickColor}
            className="h-10 w-14 cursor-pointer rounded-lg border border-control bg-surface"
            value={IS_COLOR.test(color) ? color : DEFAULT_COLOR}
            onChange={({ target }) => setColor(target.value)}
            disabled={!mayManage}
          />
        </div>
        <FormProblem error={error} fields={['brand.logoUrl', 'brand.color']} />
        {mayManage && (
          <Button type="submit" look="primary" isBusy={isBusy} className="justify-self-start">
            {common.save}
          </Button>
        )}
      </Card>
    </form>
  );
}
