/** A button with a menu of actions. */
import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { Button } from './button.js';

export interface MenuAction {
  label: string;
  onSelect: () => void;
  isDanger?: boolean;
  isDisabled?: boolean;
}

interface Props {
  /** The accessible name, if `children` is an icon. */
  label?: string;
  actions: MenuAction[];
  children: ReactNode;
}

export function Menu({ label, actions, children }: Props) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger
        render={
          <Button aria-label={label}>
            {children}
            {label === undefined && <span aria-hidden>▾</span>}
          </Button>
        }
      />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align="end" className="z-50">
          <BaseMenu.Popup className="min-w-44 rounded-lg border border-line bg-surface py-1 shadow-lg">
            {actions.map(({ label: name, onSelect, isDanger = false, isDisabled = false }) => (
              <BaseMenu.Item
                key={name}
                onClick={onSelect}
                disabled={isDisabled}
                className={`cursor-pointer px-3.5 py-1.5 data-disabled:opacity-60 data-highlighted:bg-raised ${isDanger ? 'text-danger' : ''}`}
              >
                {name}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
