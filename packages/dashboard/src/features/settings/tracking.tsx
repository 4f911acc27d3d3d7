/** Whether opens and clicks are counted, and what the public key may change. */
import { useState, type FormEvent } from 'react';
import { useProject } from '../../api/project.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CheckboxField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { useWords } from '../../words/words.js';
import { changesOf, useSaveProject } from './save.js';
import { useSettingsWords } from './words.js';

const MODES = ['ENABLED', 'MARKETING_ONLY', 'DISABLED'] as const;
const ROWS = ['marketing', 'transactional'] as const;

type Mode = (typeof MODES)[number];

const isTracked = (mode: Mode, row: (typeof ROWS)[number]): boolean =>
  mode === 'ENABLED' || (mode === 'MARKETING_ONLY' && row === 'marketing');

export function TrackingPage() {
  const words = useSettingsWords();
  const { common } = useWords();
  const { project, mayManage } = useProject();
  const { save, error, isBusy } = useSaveProject();
  const [tracking, setTracking] = useState<Mode>(project.tracking);
  const [mayChange, setMayChange] = useState(project.trackMayChangeSubscription);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(changesOf(project, { tracking, trackMayChangeSubscription: mayChange }));
  };
  return (
    <form onSubmit={submit} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Card title={words.trackingMode}>
        <p className="text-muted">{words.trackingHint}</p>
        <fieldset disabled={!mayManage} className="grid gap-2">
          <legend className="sr-only">{words.trackingMode}</legend>
          {MODES.map((mode) => (
            <label
              key={mode}
              aria-label={words.modes[mode]}
              className="flex cursor-pointer items-start gap-3 rounded-lg border border-line p-3 has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="tracking"
                className="mt-0.5 size-6 shrink-0 accent-accent"
                checked={tracking === mode}
                onChange={() => setTracking(mode)}
              />
              <span className="grid">
                <span className="font-medium">{words.modes[mode]}</span>
                <span className="text-sm">{words.modesAbout[mode]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={words.modesTable}>
          <table className="w-full border-collapse text-sm">
            <caption className="sr-only">{words.modesTable}</caption>
            <thead>
              <tr className="border-b border-line text-muted">
                <th scope="col" className="py-2 pe-3 text-start font-medium">
                  {words.kindOfEmail}
                </th>
                {MODES.map((mode) => (
                  <th key={mode} scope="col" className="px-3 py-2 text-start font-medium">
                    {words.modes[mode]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {ROWS.map((row) => (
                <tr key={row} className="border-b border-line">
                  <th scope="row" className="py-2 pe-3 text-start font-normal">
                    {words.kinds[row]}
                  </th>
                  {MODES.map((mode) => (
                    <td key={mode} className="px-3 py-2">
                      <Badge tone={isTracked(mode, row) ? 'success' : 'neutral'}>
                        {isTracked(mode, row) ? words.tracked : words.notTracked}
                      </Badge>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Card>
      <Card title={words.subscriptions}>
        <CheckboxField
          label={words.mayChange}
          name="trackMayChangeSubscription"
          hint={words.mayChangeHint}
          checked={mayChange}
          onChange={setMayChange}
          disabled={!mayManage}
        />
      </Card>
      <FormProblem error={error} />
      {mayManage && (
        <Button type="submit" look="primary" isBusy={isBusy} className="justify-self-start">
          {common.save}
        </Button>
      )}
    </form>
  );
}
