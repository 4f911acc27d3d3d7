/** The name of a campaign, its type, and who sends it. */
import { Link } from '@tanstack/react-router';
import { useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Card } from '../../ui/page.js';
import { TYPES, type CampaignFields } from './model.js';
import { useCampaignWords } from './words.js';

interface Props {
  fields: CampaignFields;
  errors: Readonly<Record<string, string>>;
  onChange: (change: Partial<CampaignFields>) => void;
}

export function SenderCard({ fields, errors, onChange }: Props) {
  const words = useCampaignWords();
  const { $api, projectId } = useProject();
  const { data: domains } = $api.useQuery('get', '/domains/project/{projectId}', {
    params: { path: { projectId } },
  });
  const verified = (domains ?? []).filter((domain) => domain.verified).map(({ domain }) => domain);
  const [mailbox = '', domain = ''] = fields.from.split('@');
  const known = domain === '' || verified.includes(domain) ? verified : [domain, ...verified];
  const chosen = domain === '' ? (verified[0] ?? '') : domain;
  const setFrom = (name: string, host: string): void => onChange({ from: name === '' ? '' : `${name}@${host}` });
  const text = (name: 'name' | 'fromName' | 'replyTo') => (
    <TextField
      label={words.fields[name]}
      name={name}
      value={fields[name]}
      onChange={({ target }) => onChange({ [name]: target.value })}
      autoComplete="off"
      error={errors[name]}
    />
  );
  return (
    <Card title={words.sender.title}>
      {domains && verified.length === 0 && (
        <Note tone="warning">
          <span>{words.sender.noDomain}</span>
          <Link to="/projects/$projectId/domains" params={{ projectId }} className="font-medium underline">
            {words.sender.toDomains}
          </Link>
        </Note>
      )}
      <div className="grid gap-4 md:grid-cols-2">
        {text('name')}
        <SelectField
          label={words.fields.type}
          name="type"
          value={fields.type}
          options={TYPES.map((value) => ({ value, label: words.types[value] }))}
          hint={words.typeHints[fields.type]}
          onChange={(type) => onChange({ type })}
          error={errors.type}
        />
        {text('fromName')}
        <div className="grid grid-cols-2 gap-2">
          <TextField
            label={words.sender.mailbox}
            name="from"
            value={mailbox}
            onChange={({ target }) => setFrom(target.value.replace(/@.*/, '').trim(), chosen)}
            autoComplete="off"
            error={errors.from}
          />
          <SelectField
            label={words.sender.domain}
            name="domain"
            value={chosen}
            options={known.map((value) => ({
              value,
              label: verified.includes(value) || !domains ? `@${value}` : words.sender.unverified(`@${value}`),
            }))}
            onChange={(host) => setFrom(mailbox, host)}
          />
        </div>
        {text('replyTo')}
      </div>
    </Card>
  );
}
