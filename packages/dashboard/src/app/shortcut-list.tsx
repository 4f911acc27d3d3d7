/** The list of shortcuts, and the setting that turns them off. */
import { Fragment } from 'react';
import { Dialog } from '../ui/dialog.js';
import { SwitchField } from '../ui/field.js';
import { Kbd } from '../ui/kbd.js';
import { useCommandWords } from './command-words.js';
import { listShortcuts, PALETTE_KEYS, useShortcutSetting } from './shortcuts.js';

export function ShortcutList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useCommandWords();
  const known = listShortcuts().map(({ keys, label }): [string, string] => [keys, label]);
  const general = known.filter(([keys]) => keys === '/' || keys === '?');
  const go = known.filter(([keys]) => keys.startsWith('g '));
  const page = known.filter((one) => !general.includes(one) && !go.includes(one));
  return (
    <Dialog title={words.shortcutTitle} isOpen={isOpen} onClose={onClose}>
      <ShortcutSwitch />
      <Group title={words.shortcutGroups.general} shortcuts={[[PALETTE_KEYS, words.openPalette], ...general]} />
      {page.length > 0 && <Group title={words.shortcutGroups.page} shortcuts={page} />}
      <Group title={words.shortcutGroups.go} shortcuts={go} />
    </Dialog>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: Array<[keys: string, label: string]> }) {
  const { next } = useCommandWords();
  return (
    <section className="grid gap-1">
      <h3 className="font-semibold">{title}</h3>
      <dl className="grid gap-x-8 sm:grid-cols-2">
        {shortcuts.map(([keys, label]) => (
          <div key={keys} className="flex items-center justify-between gap-4 border-b border-line py-1">
            <dt>{label}</dt>
            <dd className="flex shrink-0 items-center gap-1">
              {keys.split(' ').map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && <span className="text-sm text-muted">{keys === PALETTE_KEYS ? '+' : next}</span>}
                  <Kbd>{key}</Kbd>
                </Fragment>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The setting, also for the page of the account. */
export function ShortcutSwitch() {
  const words = useCommandWords();
  const [isOn, setOn] = useShortcutSetting();
  return (
    <SwitchField name="shortcuts" label={words.setting} hint={words.settingHint} checked={isOn} onChange={setOn} />
  );
}
