import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { inputOf, oneOf, textOf } from '../../routing/search.js';
import { DEEDS, PAST_RULES, RECIPIENT, STATUSES, STEPS, TABS } from './model.js';

export interface CampaignFilters {
  search?: string | undefined;
  status?: (typeof STATUSES)[number] | undefined;
}

export interface WizardSearch {
  step?: (typeof STEPS)[number] | undefined;
  /** The chosen time of day in the project's zone: `2026-11-24T09:00`. Without it, the campaign is sent now. */
  at?: string | undefined;
  /** Whether that time counts in the time zone of each recipient. */
  zone?: typeof RECIPIENT | undefined;
  /** What becomes of recipients whose time has passed. */
  past?: (typeof PAST_RULES)[number] | undefined;
  /** The time zone of recipients without one. */
  fallback?: string | undefined;
  /** The hours after which an email is not sent any more, as they are typed. */
  lateness?: string | undefined;
}

export interface ReportSearch {
  tab?: (typeof TABS)[number] | undefined;
  did?: (typeof DEEDS)[number] | undefined;
  search?: string | undefined;
  url?: string | undefined;
}

const campaignsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/campaigns',
  component: lazyRouteComponent(() => import('./list.js'), 'CampaignsPage'),
  validateSearch: ({ search, status }): CampaignFilters => ({
    search: textOf(search),
    status: oneOf(STATUSES, status),
  }),
});

const editRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/campaigns/$campaignId/edit',
  component: lazyRouteComponent(() => import('./wizard.js'), 'WizardPage'),
  validateSearch: ({ step, at, zone, past, fallback, lateness }): WizardSearch => ({
    step: oneOf(STEPS, step),
    at: inputOf(at),
    zone: oneOf([RECIPIENT], zone),
    past: oneOf(PAST_RULES, past),
    fallback: textOf(fallback),
    lateness: inputOf(lateness),
  }),
});

const campaignRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/campaigns/$campaignId',
  component: lazyRouteComponent(() => import('./page.js'), 'CampaignPage'),
  validateSearch: ({ tab, did, search, url }): ReportSearch => ({
    tab: oneOf(TABS, tab),
    did: oneOf(DEEDS, did),
    search: textOf(search),
    url: textOf(url),
  }),
});

export const campaignRoutes = [campaignsRoute, editRoute, campaignRoute] as const;
