/** The project's name, language, time zone, default sender, and postal address. */
import { Link, useLocation } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { fieldErrors } from '../../api/query.js';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { SelectField, TextArea, TextField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { ZoneField } from '../../ui/zone-field.js';
import { useSpeech, useWords } from '../../words/words.js';
import { errorsBelow, isCompleteWindow, SendWindowField } from '../send-window/field.js';
import { useSendWindowWords } from '../send-window/words.js';
import { changesOf, textOrNull, useSaveProject } from './save.js';
import { useSettingsWords } from './words.js';

const FIELDS = ['name', 'language', 'timezone', 'postalAddress', 'defaultFrom', 'defaultFromName', 'sendWindow'];
const LANGUAGES = ['en', 'de'];

export function GeneralPage() {
  const words = useSettingsWords();
  const hours = useSendWindowWords();
  const { common } = useWords();
  const { language } = useSpeech();
  const { project, mayManage } = useProject();
  const { hash } = useLocation();
  const { save, error, isBusy } = useSaveProject();
  const [oldLocal = '', oldDomain = ''] = project.defaultFrom?.split('@') ?? [];
  const [values, setValues] = useState({
    name: project.name,
    language: project.language,
    timezone: project.timezone,
    postalAddress: project.postalAddress ?? '',
    local: oldLocal,
    domain: oldDomain,
    defaultFromName: project.defaultFromName ?? '',
    sendWindow: project.sendWindow,
  });
  const set = (changes: Partial<typeof values>): void => setValues((known) => ({ ...known, ...changes }));
  const named = fieldErrors(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { name, local, domain, timezone } = values;
    save(
      changesOf(project, {
        name: name.trim(),
        language: values.language,
        timezone,
        postalAddress: textOrNull(values.postalAddress),
        defaultFrom: domain === '' ? null : `${local.trim()}@${domain}`,
        defaultFromName: textOrNull(values.defaultFromName),
        sendWindow: values.sendWindow,
      }),
    );
  };
  const languageNames = new Intl.DisplayNames(language, { type: 'language' });
  const codes = [...new Set([...LANGUAGES, project.language])];
  return (
    <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <fieldset disabled={!mayManage} className="contents">
        <Card title={words.tabs.general}>
          <TextField
            label={words.name}
            name="name"
            value={values.name}
            onChange={({ target }) => set({ name: target.value })}
            required
            maxLength={100}
            disabled={!mayManage}
            error={named.name}
          />
          <SelectField
            label={words.language}
            name="language"
            hint={words.languageHint}
            value={values.language}
            options={codes.map((code) => ({ value: code, label: languageNames.of(code) ?? code }))}
            onChange={(code) => set({ language: code })}
            disabled={!mayManage}
            error={named.language}
          />
          <ZoneField
            label={words.timezone}
            hint={words.timezoneHint}
            value={values.timezone}
            onChange={(timezone) => set({ timezone })}
            error={named.timezone}
          />
          <TextArea
            label={words.postalAddress}
            name="postalAddress"
            hint={words.postalHint}
            rows={2}
            maxLength={500}
            // The review of a campaign leads here.
            autoFocus={hash === 'postalAddress'}
            value={values.postalAddress}
            onChange={({ target }) => set({ postalAddress: target.value })}
            disabled={!mayManage}
            error={named.postalAddress}
          />
        </Card>
        <Sender values={values} set={set} errors={named} oldDomain={oldDomain} />
        <Card title={hours.title}>
          <SendWindowField
            window={values.sendWindow}
            onChange={(sendWindow) => set({ sendWindow })}
            hint={hours.projectHint}
            errors={errorsBelow('sendWindow', named)}
            disabled={!mayManage}
          />
        </Card>
      </fieldset>
      <FormProblem error={error} fields={FIELDS} />
      {mayManage && (
        <Button
          type="submit"
          look="primary"
          isBusy={isBusy}
          disabled={!isCompleteWindow(values.sendWindow)}
          className="justify-self-start"
        >
          {common.save}
        </Button>
      )}
    </form>
  );
}

interface SenderValues {
  local: string;
  domain: string;
  defaultFromName: string;
}

interface SenderProps {
  values: SenderValues;
  set: (changes: Partial<SenderValues>) => void;
  errors: Record<string, string>;
  /** The domain of the stored sender, which may no longer be verified. */
  oldDomain: string;
}

function Sender({ values, set, errors, oldDomain }: SenderProps) {
  const words = useSettingsWords();
  const { common } = useWords();
  const { $api, projectId, mayManage } = useProject();
  const domains = $api.useQuery('get', '/domains/project/{projectId}', { params: { path: { projectId } } });
  const verified = (domains.data ?? []).filter((one) => one.verified).map(({ domain }) => domain);
  const isKnown = oldDomain === '' || domains.data === undefined || verified.includes(oldDomain);
  const options = [
    { value: '', label: common.none },
    ...verified.map((domain) => ({ value: domain, label: domain })),
    ...(oldDomain !== '' && !verified.includes(oldDomain)
      ? [{ value: oldDomain, label: isKnown ? oldDomain : words.notVerified(oldDomain) }]
      : []),
  ];
  return (
    <Card title={words.sender}>
      <p className="text-muted">{words.senderHint}</p>
      {domains.data && verified.length === 0 && (
        <p>
          {words.noDomain}{' '}
          <Link to="/projects/$projectId/domains" params={{ projectId }} className="text-accent underline">
            {words.toDomains}
          </Link>
        </p>
      )}
      <TextField
        label={words.senderName}
        name="defaultFromName"
        value={values.defaultFromName}
        onChange={({ target }) => set({ defaultFromName: target.value })}
        maxLength={255}
        disabled={!mayManage}
        error={errors.defaultFromName}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={words.senderLocal}
          name="defaultFrom"
          value={values.local}
          onChange={({ target }) => set({ local: target.value })}
          placeholder="hello"
          required={values.domain !== ''}
          disabled={!mayManage}
          error={errors.defaultFrom}
        />
        <SelectField
          label={words.senderDomain}
          name="senderDomain"
          value={values.domain}
          options={options}
          onChange={(domain) => set({ domain })}
          disabled={!mayManage}
        />
      </div>
    </Card>
  );
}
