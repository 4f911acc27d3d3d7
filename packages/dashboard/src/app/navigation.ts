/** The entries of the main navigation, in groups. */
import { linkOptions, type LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import {
  ActivityIcon,
  ChartIcon,
  DomainIcon,
  EventIcon,
  HomeIcon,
  MailIcon,
  ShieldIcon,
  SegmentIcon,
  TemplateIcon,
} from '../ui/icons.js';
import type { Words } from '../words/en.js';

export interface NavigationEntry {
  /** The key of its name in `nav`. */
  name: keyof Words['nav'];
  link: (projectId: string) => LinkProps;
  icon: ComponentType;
}

const home = (projectId: string) => linkOptions({ to: '/projects/$projectId', params: { projectId } });
const emails = (projectId: string) => linkOptions({ to: '/projects/$projectId/emails', params: { projectId } });
const domains = (projectId: string) => linkOptions({ to: '/projects/$projectId/domains', params: { projectId } });

const activity = (projectId: string) => linkOptions({ to: '/projects/$projectId/activity', params: { projectId } });
const deliverability = (projectId: string) =>
  linkOptions({ to: '/projects/$projectId/deliverability', params: { projectId } });
const segments = (projectId: string) => linkOptions({ to: '/projects/$projectId/segments', params: { projectId } });
const events = (projectId: string) => linkOptions({ to: '/projects/$projectId/events', params: { projectId } });
const suppressions = (projectId: string) =>
  linkOptions({ to: '/projects/$projectId/suppressions', params: { projectId } });

const templates = (projectId: string) => linkOptions({ to: '/projects/$projectId/templates', params: { projectId } });

/** Groups by the key of their name. The first one needs none. */
export const NAVIGATION: Array<{ group: keyof Words['navGroups'] | null; entries: NavigationEntry[] }> = [
  {
    group: null,
    entries: [
      { name: 'home', link: home, icon: HomeIcon },
      { name: 'activity', link: activity, icon: ActivityIcon },
    ],
  },
  { group: 'send', entries: [{ name: 'templates', link: templates, icon: TemplateIcon }] },
  { group: 'audience', entries: [{ name: 'segments', link: segments, icon: SegmentIcon }] },
  {
    group: 'data',
    entries: [
      { name: 'events', link: events, icon: EventIcon },
      { name: 'emails', link: emails, icon: MailIcon },
    ],
  },
  {
    group: 'delivery',
    entries: [
      { name: 'domains', link: domains, icon: DomainIcon },
      { name: 'deliverability', link: deliverability, icon: ChartIcon },
      { name: 'suppressions', link: suppressions, icon: ShieldIcon },
    ],
  },
  { group: 'manage', entries: [] },
];
