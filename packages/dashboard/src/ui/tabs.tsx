/** Tabs within a page. For tabs that change the URL, use links. */
import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab {
  id: string;
  label: string;
  content: ReactNode;
}

interface Props {
  /** The accessible name of the list of tabs. */
  label: string;
  tabs: Tab[];
  /** The open tab, if the page keeps it, for example in the URL. */
  selected?: string;
  onSelect?: (id: string) => void;
}

export function Tabs({ label, tabs, selected, onSelect }: Props) {
  const state = selected === undefined ? { defaultValue: tabs[0]?.id } : { value: selected };
  return (
    <BaseTabs.Root {...state} onValueChange={(id: string) => onSelect?.(id)} className="grid min-w-0 gap-4">
      <BaseTabs.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <BaseTabs.Tab
            key={tab.id}
            value={tab.id}
            className="cursor-pointer border-b-2 border-transparent px-3 py-2 -outline-offset-3 whitespace-nowrap text-muted data-active:border-accent data-active:font-semibold data-active:text-text"
          >
            {tab.label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.id} value={tab.id} className="grid min-w-0 gap-4">
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
