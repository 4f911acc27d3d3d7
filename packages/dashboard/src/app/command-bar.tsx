/** The button of the command palette, the keyboard's shortcuts, and what both open. Their dialogs load on demand. */
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { Button } from '../ui/button.js';
import { HelpIcon, SearchIcon } from '../ui/icons.js';
import { Kbd } from '../ui/kbd.js';
import { useWords } from '../words/words.js';
import { GO_KEYS, NAVIGATION } from './navigation.js';
import { useRecentPages } from './recent.js';
import { PALETTE_KEYS, useShortcutKeys, useShortcuts, type Shortcut } from './shortcuts.js';

const loadPalette = async () => import('./palette.js');
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.js')).ShortcutList }));

const Help = lazy(async () => ({ default: (await import('./help.js')).Help }));

type Opened = 'palette' | 'shortcuts' | 'help';

export function CommandBar({ projectId }: { projectId: string }) {
  const { common, commands } = useWords();
  const [opened, setOpened] = useState<Opened | null>(null);
  // A dialog stays rendered after its first use, so that it can give the focus back.
  const [used, setUsed] = useState<Opened[]>([]);
  const open = useCallback((one: Opened): void => {
    setUsed((before) => [...before, one]);
    setOpened(one);
  }, []);
  const openPalette = useCallback(() => open('palette'), [open]);
  const showShortcuts = useCallback(() => open('shortcuts'), [open]);
  const close = useCallback(() => setOpened(null), []);
  useShortcutKeys(openPalette);
  useShortcuts(useGeneralShortcuts(projectId, openPalette, showShortcuts));
  useRecentPages();
  return (
    <>
      <Button
        aria-keyshortcuts="Control+K Meta+K"
        onClick={openPalette}
        onPointerEnter={() => void loadPalette()}
        className="min-w-9 text-muted max-sm:px-2"
      >
        <SearchIcon />
        <span className="max-lg:sr-only">{common.search}</span>
        <span className="max-sm:sr-only">
          <Kbd>{PALETTE_KEYS}</Kbd>
        </span>
      </Button>
      <Button aria-label={commands.help} onClick={() => open('help')} className="min-w-9 max-sm:px-2">
        <HelpIcon />
      </Button>
      <Suspense>
        {used.includes('palette') && (
          <Palette isOpen={opened === 'palette'} onClose={close} showShortcuts={showShortcuts} />
        )}
        {used.includes('shortcuts') && <ShortcutList isOpen={opened === 'shortcuts'} onClose={close} />}
        {used.includes('help') && <Help isOpen={opened === 'help'} onClose={close} />}
      </Suspense>
    </>
  );
}

function useGeneralShortcuts(projectId: string, openPalette: () => void, showShortcuts: () => void): Shortcut[] {
  const { nav, commands } = useWords();
  const navigate = useNavigate();
  return useMemo(
    () => [
      { keys: '?', label: commands.shortcuts, run: showShortcuts },
      {
        keys: '/',
        label: commands.search,
        run() {
          const field = document.querySelector<HTMLInputElement>('main input[type=search]');
          if (field) field.focus();
          else openPalette();
        },
      },
      ...NAVIGATION.flatMap(({ name, to }) =>
        GO_KEYS[name] === undefined
          ? []
          : [
              {
                keys: `g ${GO_KEYS[name]}`,
                label: nav[name],
                run: () => void navigate({ to: String(to).replace('$projectId', projectId) }),
              },
            ],
      ),
    ],
    [nav, commands, navigate, projectId, openPalette, showShortcuts],
  );
}
