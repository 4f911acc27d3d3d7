/** The entries of the main navigation, in the order of their groups. */
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import * as icons from '../ui/icons.js';
import type { Words } from '../words/en.js';

export interface NavigationEntry {
  /** The key of the group's name in `navGroups`; null for the first entries. */
  group: keyof Words['navGroups'] | null;
  /** The key of its name in `nav`. */
  name: keyof Words['nav'];
  /** A path with the parameter `projectId`. */
  to: LinkProps['to'];
  icon: ComponentType;
}

export const NAVIGATION: NavigationEntry[] = [
  { group: null, name: 'home', to: '/projects/$projectId', icon: icons.HomeIcon },
  { group: null, name: 'activity', to: '/projects/$projectId/activity', icon: icons.ActivityIcon },
  { group: 'send', name: 'campaigns', to: '/projects/$projectId/campaigns', icon: icons.SendIcon },
  { group: 'send', name: 'templates', to: '/projects/$projectId/templates', icon: icons.TemplateIcon },
  { group: 'send', name: 'workflows', to: '/projects/$projectId/workflows', icon: icons.WorkflowIcon },
  { group: 'audience', name: 'contacts', to: '/projects/$projectId/contacts', icon: icons.PeopleIcon },
  { group: 'audience', name: 'segments', to: '/projects/$projectId/segments', icon: icons.SegmentIcon },
  { group: 'audience', name: 'fields', to: '/projects/$projectId/fields', icon: icons.FilterIcon },
  { group: 'data', name: 'events', to: '/projects/$projectId/events', icon: icons.EventIcon },
  { group: 'data', name: 'emails', to: '/projects/$projectId/emails', icon: icons.MailIcon },
  { group: 'data', name: 'jobs', to: '/projects/$projectId/jobs', icon: icons.ClockIcon },
  { group: 'data', name: 'webhooks', to: '/projects/$projectId/webhooks', icon: icons.LinkIcon },
  { group: 'delivery', name: 'domains', to: '/projects/$projectId/domains', icon: icons.DomainIcon },
  { group: 'delivery', name: 'deliverability', to: '/projects/$projectId/deliverability', icon: icons.ChartIcon },
  { group: 'delivery', name: 'suppressions', to: '/projects/$projectId/suppressions', icon: icons.ShieldIcon },
  { group: 'manage', name: 'settings', to: '/projects/$projectId/settings', icon: icons.SettingsIcon },
  { group: 'manage', name: 'account', to: '/projects/$projectId/account', icon: icons.PeopleIcon },
];

/** The letters after `g` that lead to the pages. */
export const GO_KEYS: Partial<Record<keyof Words['nav'], string>> = {
  home: 'h',
  activity: 'a',
  campaigns: 'c',
  templates: 't',
  workflows: 'w',
  contacts: 'p',
  segments: 's',
  fields: 'f',
  events: 'e',
  jobs: 'j',
  emails: 'm',
  domains: 'd',
  deliverability: 'r',
  suppressions: 'u',
  webhooks: 'k',
  settings: ',',
  account: 'i',
};

export const NAVIGATION_GROUPS = [null, 'send', 'audience', 'data', 'delivery', 'manage'] as const;
